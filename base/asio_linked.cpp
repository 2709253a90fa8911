// Asio's own code, compiled once here (BOOST_ASIO_SEPARATE_COMPILATION), not in each of its users.
#include <boost/asio/impl/src.hpp>
