// The security configuration and signatures, as far as they need neither root nor munged.
#include <gtest/gtest.h>

#include "base/rfc/signed_jobspec.hpp"
#include "base/security/secure_config.hpp"
#include "base/security/signature.hpp"
#include "base/security/trusted_path.hpp"

namespace sluice {
namespace {

SecureConfig config_of(std::string_view text) {
    SecureConfig config;
    EXPECT_TRUE(config.add(text, "a.toml"));
    return config;
}

constexpr std::string_view good_sign =
    "[sign]\nmax-ttl = 60\ndefault-type = \"munge\"\nallowed-types = [\"munge\", \"none\"]\n";

TEST(SecureConfig, KeepsValuesByTheirPaths) {
    const SecureConfig config =
        config_of("top = true\n[run.prolog]\npath = \"/p\"\nallowed-users = [\"a\", \"b\"]\n");
    EXPECT_EQ(config.text("run.prolog.path").value_or(std::nullopt), "/p");
    EXPECT_EQ(config.strings("run.prolog.allowed-users").value_or(std::nullopt),
              (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(config.flag("top").value_or(false));
    EXPECT_FALSE(config.flag("none").value_or(true));
    EXPECT_EQ(config.text("none").value_or("x"), std::nullopt);
}

TEST(SecureConfig, NamesThePlaceOfAWrongType) {
    const SecureConfig config = config_of("[a]\nb = [1]\nc = 1.5\n");
    EXPECT_EQ(config.strings("a.b").error().text(), "a.toml:2:1: a.b: want an array of strings");
    EXPECT_EQ(config.integer("a.c").error().text(), "a.toml:3:1: a.c: want an integer");
}

TEST(SecureConfig, RefusesAKeyThatIsInTwoFiles) {
    SecureConfig config = config_of("[a]\nb = 1\n");
    const auto second = config.add("[a]\nc = 1\nb = 1\n", "b.toml");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().text(), "b.toml:3:1: a.b: is in a.toml:2:1 already; keep one of them");
}

TEST(SecureConfig, NamesTheLineOfASyntaxError) {
    SecureConfig config;
    const auto added = config.add("a = 1\nb =\n", "a.toml");
    ASSERT_FALSE(added);
    EXPECT_TRUE(added.error().text().starts_with("a.toml:2:")) << added.error().text();
    EXPECT_FALSE(config.add("[", "a.toml"));
}

TEST(SignConfig, WantsAllOfItsKeys) {
    EXPECT_TRUE(SignConfig::from(config_of(good_sign)));
    EXPECT_FALSE(SignConfig::from(config_of("")));
    for (const auto& [key, value] : {std::pair{"max-ttl = 60", "max-ttl = 0"},
                                     std::pair{"\"munge\", \"none\"", "\"curve\""},
                                     std::pair{"\"munge\", \"none\"", ""},
                                     std::pair{"= \"munge\"", "= \"x\""}}) {
        std::string text{good_sign};
        text.replace(text.find(key), std::string_view{key}.size(), value);
        EXPECT_FALSE(SignConfig::from(config_of(text))) << text;
    }
}

TEST(Signature, OfMechanismNoneProvesNothing) {
    const SignConfig config = *SignConfig::from(config_of(good_sign));
    const auto signer = verify_signature(sign_none("{}", UserId{5}), config, 0);
    ASSERT_TRUE(signer);
    EXPECT_EQ(signer->userid, UserId{5});
    EXPECT_FALSE(signer->sealed);
}

TEST(Signature, WantsAnAllowedMechanism) {
    SignConfig config = *SignConfig::from(config_of(good_sign));
    config.allowed_types = {"munge"};
    EXPECT_FALSE(verify_signature(sign_none("{}", UserId{5}), config, 0));
    EXPECT_FALSE(verify_signature(unsigned_jobspec("{}", UserId{5}, "curve") + ".x", config, 0));
}

TEST(SignedJobspec, IsTheSameAfterItsPayloadWasKeptApart) {
    const std::string j = unsigned_jobspec("{\"a\": 1}", UserId{7}, "munge") + ".MUNGE:x:";
    const auto envelope = envelope_of(j);
    ASSERT_TRUE(envelope);
    EXPECT_EQ(join_signed(*envelope, "{\"a\": 1}").value_or(""), j);
    EXPECT_FALSE(envelope_of("a.b"));
    EXPECT_FALSE(envelope_of("AAAA.!.x"));
    EXPECT_FALSE(join_signed("none", "{}"));
}

TEST(SignedHeader, RefusesAKeyThatIsThereTwice) {
    const std::string good = unsigned_jobspec("", UserId{7}, "none");
    EXPECT_TRUE(read_signed_header(split_signed(good + ".none")->header));
    // version i1 userid i7 userid i0 mechanism snone
    EXPECT_FALSE(read_signed_header(
        "dmVyc2lvbgBpMQB1c2VyaWQAaTcAdXNlcmlkAGkwAG1lY2hhbmlzbQBzbm9uZQA="));
    EXPECT_FALSE(read_signed_header(std::string(8192, 'A')));
}

TEST(TrustedPath, WantsTheRealPathFromTheRoot) {
    EXPECT_FALSE(open_trusted("etc", 0));
    EXPECT_FALSE(open_trusted("/usr/../etc", 0));
    EXPECT_FALSE(read_trusted_file("/proc/self/exe"));
    EXPECT_TRUE(open_trusted("/etc", 0));
    EXPECT_TRUE(check_trusted_program("/bin/sh"));
    EXPECT_FALSE(check_trusted_program("/etc/passwd"));
    EXPECT_FALSE(check_trusted_program("/nothing/here"));
}

}  // namespace
}  // namespace sluice
