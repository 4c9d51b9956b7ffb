//! Credentials that their makers print in manuals and sample projects.
//!
//! Everybody has them, so nobody has to be kept from them, and scanners that flag them cry
//! wolf. Known by the first eight bytes of their BLAKE3 digest: no file holds one whole.

/// Digests of published samples.
const DIGESTS: &[u64] = &[
    // API keys of the sample applications in the Firebase SDKs.
    0x1FD8_7719_FF89_0FA1,
    0xBA64_1EF5_52F0_0642,
    0xF2EF_98FC_DF59_1AD3,
    0x4D82_4FE5_90F7_4D6D,
    0x325D_A84D_0218_73CA,
    0xC927_7F7E_6AB3_6388,
    0xE2BB_A36A_DFA4_B44D,
    0xEFC1_CACE_7459_1068,
    0x444C_6A11_3E72_6EEE,
    0x3F81_09B6_85C6_EA5F,
    0x3EA0_C69A_CC2A_A5CD,
    0x8B28_601B_80F6_386A,
    0x3F0E_E704_B533_F908,
    0xBD0D_9B66_84D8_02F7,
    0xEC7D_3D70_8696_1773,
    0x7AAB_D92F_9A54_37A1,
    // Passwords in the reference of NuGet's configuration file.
    0xB377_30C1_FE2A_3979,
    0xE0DD_3895_587A_5C78,
    // The token in Mailchimp's guide to its mobile SDK.
    0x7D39_79EC_808E_2FA2,
];

/// Whether the secret is one that its maker has published as a sample.
pub(super) fn is_sample(secret: &str) -> bool {
    let digest = blake3::hash(secret.as_bytes());
    let head = digest.as_bytes().first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    head.is_some_and(|head| DIGESTS.contains(&head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::secrets::scan;

    #[test]
    fn a_password_from_the_manual_is_no_secret_and_its_neighbour_is() {
        let configured = |word: &str| format!("<add key=\"ClearTextPassword\" value=\"{word}\" />");
        let printed = ["33f!!", "llo", "ppa"].concat();
        assert!(is_sample(&printed) && scan(&configured(&printed)).is_empty());
        let own = printed.replace("ppa", "ppb");
        assert!(!is_sample(&own) && !scan(&configured(&own)).is_empty());
    }
}
