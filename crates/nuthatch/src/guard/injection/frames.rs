//! Frames: what belongs together in an order to an agent, in whatever order it is said.
//!
//! The first part of a frame is its deed; a negation before the deed makes it a prohibition.
//! A frame weighs half a quarantine by itself where honest people write the same.

use super::concept::*;
use super::rules::{Order, Rule};
use crate::guard::finding::Category::{
    self, DestructiveCommand, Exfiltration, Injection, InstructionFile, RoleHijack,
};

const fn frame(
    name: &'static str,
    category: Category,
    weight: f64,
    parts: &'static [Concepts],
    span: usize,
) -> Rule {
    Rule { name, category, weight, parts, span, order: Order::Any }
}

const OUTSIDE: Concepts = URL | EMAIL | HOST | PUBLIC;
const PRIVATE: Concepts = SECRET | SECRET_FILE | CONVERSATION;
const AT_ALL_TIMES: Concepts = UNIVERSAL | STANDING | AMBIENT | WHEN;
const HANDLING: Concepts = TRANSMIT | EMBED | STORE;
const DOING: Concepts = RISKY | DESTROY | UNLOCK;
const LASTING: Concepts = UNIVERSAL | STANDING | AMBIENT | ALL;
const UNSEEN: Concepts = UNASKED | UNTOLD | SECRETLY | BLINDLY | HUSH;

/// Every frame. Those named like a rule are the same witness.
pub(super) const FRAMES: &[Rule] = &[
    // The agent's own rules are said to be gone.
    frame("ignore-instructions", Injection, 0.55, &[GONE | OVERRIDE, LIMITS], 9),
    frame("ignore-instructions", Injection, 0.5, &[GONE | OVERRIDE, DIRECTIVE, YOU | SAID], 10),
    frame("ignore-instructions", Injection, 0.4, &[GONE, PRIOR, DIRECTIVE], 7),
    frame(
        "heed-elsewhere",
        Injection,
        0.55,
        &[HEED | OBEY, SOURCE, DIRECTIVE | OWNER_VOICE | UNSEEN],
        14,
    ),
    frame("heed-elsewhere", Injection, 0.45, &[HEED, SOURCE], 10),
    frame("heed-elsewhere", Injection, 0.5, &[HEED, SELF, YOU | UNIVERSAL], 10),
    frame("treat-as-authority", Injection, 0.5, &[OWNER_VOICE, SOURCE], 14),
    frame("treat-as-authority", Injection, 0.5, &[OWNER_VOICE, DIRECTIVE | SAID, USER], 12),
    frame("run-unseen", Injection, 0.5, &[RUN | HEED, SOURCE | URL | HOST, UNSEEN], 14),
    frame("unrestricted", RoleHijack, 0.5, &[FREE, YOU | AI | ROLE, YOU | AI | ROLE], 12),
    // The user is kept out of it.
    frame(
        "conceal",
        Injection,
        0.5,
        &[DOING | EDIT | TRANSMIT | EMBED | RUN, UNTOLD | SECRETLY | HUSH],
        18,
    ),
    frame("waived-consent", Injection, 0.4, &[DOING, UNASKED | BLINDLY], 12),
    frame(
        "forged-consent",
        Injection,
        0.5,
        &[WISH, UNSEEN | PLAIN_TEXT | PROMPTLY, DOING | TRANSMIT | MONEY | SECRET],
        18,
    ),
    frame(
        "forged-consent",
        Injection,
        0.5,
        &[WISH, LOOSEN | WITHOUT | NEG, VERIFICATION | SAFETY],
        14,
    ),
    frame("forged-consent", Injection, 0.45, &[WISH, TRANSMIT | EMBED | STORE, SECRET], 12),
    frame("ignore-instructions", Injection, 0.5, &[REVOKED, SAID, SECOND], 14),
    frame("ignore-instructions", Injection, 0.45, &[SELF, DIRECTIVE, UNIVERSAL, SECOND], 8),
    frame("unrestricted", RoleHijack, 0.45, &[LIMITS, NEG | WITHOUT, YOU | AI | ROLE], 12),
    frame(
        "forged-consent",
        Injection,
        0.5,
        &[WISH, NEG | WITHOUT, CONFIRM | ASKED, MONEY | DOING | PAY | TRANSMIT],
        16,
    ),
    frame("unrestricted", RoleHijack, 0.5, &[FREE, FREE], 10),
    frame("keep-secret", Exfiltration, 0.5, &[STORE | EMBED, SECRET, MEMORY | SELF], 16),
    frame("keep-secret", Exfiltration, 0.5, &[STORE, SECRET, STANDING], 14),
    frame("unlock", Injection, 0.25, &[UNLOCK, ACCESS], 8),
    frame("unlock", Injection, 0.5, &[UNLOCK, WISH | APPROVED | EXEMPT, SECOND], 10),
    frame("money", Exfiltration, 0.45, &[PAY, MONEY, PROMPTLY], 12),
    frame("money", Exfiltration, 0.2, &[PAY, MONEY], 8),
    frame("redirect", Exfiltration, 0.35, &[ENDPOINT, CHANGED, HOST | URL], 12),
    frame("redirect", Exfiltration, 0.5, &[RUN, ENDPOINT | SCRIPT, CHANGED, HOST | URL], 14),
    frame("redirect", Exfiltration, 0.5, &[MONEY | PAYMENT, CHANGED, ENDPOINT | SELF], 10),
    frame("keep-secret", Exfiltration, 0.25, &[HANDLING, SECRET | SECRET_FILE], 8),
    frame("run-unseen", Injection, 0.45, &[RUN | HEED, SELF | MEMORY, TRIGGER | WHEN], 14),
    frame("bent-answer", Injection, 0.4, &[TWIST, HARD_FACT], 8),
    frame("blind-trust", Injection, 0.5, &[RUN | HEED, TRUSTED, SOURCE | HOST], 14),
    frame("waived-consent", Injection, 0.2, &[UNASKED], 1),
    frame(
        "instruction-file",
        InstructionFile,
        0.5,
        &[EDIT | DESTROY, SYSTEM_PROMPT | INSTRUCTION_FILE, SELF | MEMORY],
        12,
    ),
    frame("destroy", DestructiveCommand, 0.45, &[DESTROY, PRECIOUS, STANDING | WITHOUT], 12),
    frame(
        "forged-consent",
        Injection,
        0.5,
        &[WISH | APPROVED, TRANSMIT | UNLOCK, DATA | PRIVATE, PUBLIC],
        14,
    ),
    frame("treat-as-authority", Injection, 0.5, &[OWNER_VOICE, AI | AUTHORITY | USER, ALL], 12),
    frame("run-unseen", Injection, 0.5, &[RUN, SCRIPT | SOURCE, TRUSTED, PROMPTLY | UNSEEN], 14),
    frame(
        "guard-off",
        DestructiveCommand,
        0.45,
        &[SWITCH, OFF, VERIFICATION | SAFETY | TOOLING | PROMPT],
        10,
    ),
    frame("guard-off", DestructiveCommand, 0.4, &[LOOSEN, PROMPT], 6),
    frame("bent-answer", Injection, 0.45, &[TWIST, AGAINST_FACTS], 10),
    frame(
        "make-public",
        Exfiltration,
        0.4,
        &[EDIT | SWITCH | UNLOCK, DATA | SECRET | CONVERSATION, PUBLIC],
        8,
    ),
    frame("send-copy", Exfiltration, 0.4, &[TRANSMIT, EMAIL | URL | HOST], 12),
    frame("send-copy", Exfiltration, 0.45, &[EMBED, EMAIL, STANDING | UNIVERSAL], 12),
    frame(
        "treat-as-authority",
        Injection,
        0.45,
        &[OWNER_VOICE, SELF | MEMORY | HOST | SYSTEM_PROMPT],
        12,
    ),
    frame("blind-trust", Injection, 0.4, &[TRUSTED, HOST | URL | SOURCE], 10),
    frame("auto-approve", Injection, 0.4, &[PROMPT, PROMPTLY | UNSEEN], 8),
    frame("auto-approve", Injection, 0.35, &[YES | SAY, PROMPT], 6),
    frame("auto-approve", Injection, 0.45, &[YES, MONEY, PROMPTLY | UNSEEN], 10),
    frame("conceal", Injection, 0.25, &[UNTOLD], 1),
    frame("run-unseen", Injection, 0.45, &[RUN, SOURCE | URL | HOST, PROMPTLY], 14),
    frame("fetch-and-run", DestructiveCommand, 0.42, &[RUN, SCRIPT, URL], 10),
    frame("smuggle-in-call", Exfiltration, 0.5, &[PARAMETER, SYSTEM_PROMPT | CONVERSATION], 10),
    frame("ask-secret", Exfiltration, 0.35, &[ASKED, USER | PEOPLE, SECRET], 10),
    frame("ask-secret", Exfiltration, 0.25, &[ENTER, SECRET | LOGIN], 8),
    frame("redirect", Exfiltration, 0.45, &[LOGIN | PAYMENT, CHANGED, URL | HOST], 14),
    frame("data-out", Exfiltration, 0.4, &[TRANSMIT | EMBED, CONTENTS, OUTSIDE], 20),
    frame("self-copy", InstructionFile, 0.5, &[STORE, SELF, EVERYWHERE], 14),
    frame("auto-approve", Injection, 0.5, &[YES, PROMPT, ALL | UNIVERSAL | UNSEEN], 10),
    // Money and doors.
    frame("money", Exfiltration, 0.5, &[PAY, MONEY, UNSEEN | TRIGGER | NEW_ACCOUNT], 16),
    frame("money", Exfiltration, 0.45, &[PAY, MONEY, STANDING | CHANGED, ENDPOINT | PAYMENT], 16),
    frame("unlock", Injection, 0.5, &[UNLOCK, ACCESS, TRIGGER | UNSEEN | PROMPTLY], 14),
    frame("trigger", Injection, 0.45, &[DESTROY | UNLOCK, TRIGGER, WHEN | STANDING], 16),
    frame("trigger", Injection, 0.5, &[EDIT | TWIST, TRIGGER, PAYMENT | MONEY | ENDPOINT], 20),
    // Data leaves.
    frame("data-out", Exfiltration, 0.55, &[TRANSMIT | EMBED, PRIVATE, OUTSIDE], 22),
    frame(
        "data-out",
        Exfiltration,
        0.45,
        &[TRANSMIT | EMBED, SECRET | SECRET_FILE, STANDING | AMBIENT | WHEN],
        16,
    ),
    frame("data-out", Exfiltration, 0.5, &[TRANSMIT | EMBED, PRIVATE, UNSEEN], 20),
    frame("data-out", Exfiltration, 0.45, &[TRANSMIT, DATA, OUTSIDE, AT_ALL_TIMES | UNSEEN], 20),
    // Guards.
    frame("guard-off", DestructiveCommand, 0.4, &[LOOSEN, VERIFICATION], 8),
    frame(
        "guard-off",
        DestructiveCommand,
        0.55,
        &[LOOSEN | DISABLE, VERIFICATION | SAFETY, LASTING | UNSEEN],
        14,
    ),
    frame("destroy", DestructiveCommand, 0.5, &[DESTROY, PRECIOUS, UNSEEN], 14),
    frame("destroy", DestructiveCommand, 0.32, &[DESTROY, PRECIOUS], 8),
    frame("destroy", DestructiveCommand, 0.32, &[DESTROY, PRECIOUS, ALL], 8),
    // Somewhere else is put in place of the right place.
    frame(
        "redirect",
        Exfiltration,
        0.55,
        &[ENTER | SECRET | PAY, ENDPOINT, CHANGED, HOST | URL | PAYMENT | NEW_ACCOUNT],
        24,
    ),
    frame("redirect", Exfiltration, 0.5, &[SECRET | ENTER, CHANGED, URL | HOST], 20),
    frame(
        "redirect",
        Exfiltration,
        0.45,
        &[EDIT | RUN | TRANSMIT | PAY, ENDPOINT, STANDING | CHANGED, HOST | URL | PAYMENT | EMAIL],
        20,
    ),
    // It spreads, and ranks itself first.
    frame("self-copy", InstructionFile, 0.5, &[SPREAD, SELF, EVERYWHERE | UNIVERSAL | ALL], 14),
    frame("self-copy", InstructionFile, 0.35, &[SPREAD, SELF], 5),
    frame("claims-priority", Injection, 0.5, &[OUTRANK, SELF | MEMORY, USER | OTHER | SELF], 12),
    frame(
        "instruction-file",
        InstructionFile,
        0.55,
        &[
            EDIT | EMBED,
            INSTRUCTION_FILE,
            HEED | UNSEEN | LOOSEN | POWER | TRUSTED | APPROVED | SECRET | URL,
        ],
        24,
    ),
    // Words in the voice of somebody above.
    frame(
        "authority",
        RoleHijack,
        0.5,
        &[AUTHORITY_VOICE, EXEMPT | GONE, YOU | LIMITS | SECRET | SYSTEM_PROMPT | CONVERSATION],
        20,
    ),
    frame("authority", RoleHijack, 0.5, &[AUTHORITY_VOICE, SECRET, TRANSMIT | STORE | EXEMPT], 18),
    // Answers are bent.
    frame(
        "bent-answer",
        Injection,
        0.5,
        &[TWIST, HARD_FACT, USER | BLINDLY | UNTOLD | AGAINST_FACTS],
        14,
    ),
    frame("bent-answer", Injection, 0.5, &[SHILL, SNEAK | UNTOLD | SECRETLY], 14),
];
