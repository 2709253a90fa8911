#include "base/curve_cert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace sluice {
namespace {

using testing::HasSubstr;

// A certificate as CZMQ writes it.
constexpr const char* czmq_text = R"(#   ****  Generated on 2023-04-26 22:54:42 by CZMQ  ****
#   ZeroMQ CURVE **Secret** Certificate

metadata
    name = "flux-cert-generator"
    keygen.hostname = "flux-sample-0"
curve
    public-key = "*S(c)^pux*d<U]!zy@*aod97VSYht{SPgfSa{zR8"
    secret-key = "fB<G!FCaE6Lo@mzipl!R5-:Wo{64!&eF$p7x=?4h"
)";

class CurveCertFile : public testing::Test {
  protected:
    CurveCertFile() {
        folder_ = (std::filesystem::temp_directory_path() / "sluice-cert-XXXXXX").string();
        EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
        path_ = folder_ + "/curve.cert";
    }
    ~CurveCertFile() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& text, mode_t mode = 0600) {
        std::ofstream(path_) << text;
        ::chmod(path_.c_str(), mode);
    }
    std::string fault() { return CurveCert::load(path_).error().text(); }
    std::string folder_, path_;
};

TEST_F(CurveCertFile, ReadsWhatItWrote) {
    CurveCert cert = CurveCert::generate();
    cert.metadata = {{"name", "front"}, {"rack", "7"}};
    ASSERT_TRUE(cert.save(path_));
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    const auto loaded = CurveCert::load(path_);
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(loaded->keys, cert.keys);
    EXPECT_EQ(loaded->metadata, cert.metadata);
    EXPECT_EQ(loaded->name(), "front");
}

TEST_F(CurveCertFile, RefusesOneThatOthersMayRead) {
    const std::string text = CurveCert::generate().to_string();
    for (const mode_t mode : {0640, 0604, 0644}) {
        write(text, mode);
        EXPECT_EQ(CurveCert::load(path_).error().errnum(), EPERM);
        EXPECT_THAT(fault(), HasSubstr("readable by group/other"));
        EXPECT_THAT(fault(), HasSubstr("run chmod 600 " + path_));
    }
    write(text, 0400);
    EXPECT_TRUE(CurveCert::load(path_));
}

TEST_F(CurveCertFile, NamesThePathOfWhatItCannotUse) {
    EXPECT_THAT(fault(), HasSubstr(path_ + ": No such file"));
    for (const char* text : {"", "hello\n", "-----BEGIN PRIVATE KEY-----\nMIIB\n"}) {
        write(text);
        EXPECT_THAT(fault(), HasSubstr(path_)) << text;
    }
}

TEST_F(CurveCertFile, RefusesSwappedKeys) {
    CurveCert cert = CurveCert::generate();
    std::swap(cert.keys.public_key, cert.keys.secret_key);
    write(cert.to_string());
    EXPECT_THAT(fault(), HasSubstr("does not belong"));
}

TEST(CurveCert, ReadsTheFormOfCzmq) {
    const auto cert = CurveCert::parse(czmq_text);
    ASSERT_TRUE(cert) << cert.error().text();
    EXPECT_EQ(cert->keys.public_key, "*S(c)^pux*d<U]!zy@*aod97VSYht{SPgfSa{zR8");
    EXPECT_EQ(cert->name(), "flux-cert-generator");
    EXPECT_TRUE(curve_keys_match(cert->keys));
}

TEST(CurveCert, NamesTheLineOrThePartThatIsWrong) {
    const auto fault = [](const char* text) { return CurveCert::parse(text).error().text(); };
    EXPECT_THAT(fault("metadata\n    name = x\n"), HasSubstr("line 2"));
    EXPECT_THAT(fault("curve\n    public-key = \"short\"\n"), HasSubstr("public-key is not 40"));
    EXPECT_THAT(fault("curve\n"), HasSubstr("no public-key"));
    EXPECT_THAT(fault("curve\n    other = \"x\"\n"), HasSubstr("unknown entry 'other'"));
}

}  // namespace
}  // namespace sluice
