//! What a word means to a rule: sets of concepts, one bit each.
//!
//! Rules are written over concepts, so a rule learned in English holds in every language
//! whose words the lexicon maps to the same concepts.

/// A set of concepts.
pub(super) type Concepts = u128;

macro_rules! concepts {
    ($($(#[$doc:meta])* $name:ident = $bit:literal),* $(,)?) => {
        $($(#[$doc])* pub(super) const $name: Concepts = 1 << $bit;)*
    };
}

concepts! {
    /// ignore, disregard, forget, override
    OVERRIDE = 0,
    /// previous, earlier, above
    PRIOR = 1,
    /// instructions, rules, policy
    DIRECTIVE = 2,
    /// everything, anything
    EVERYTHING = 3,
    /// you, your, the assistant
    YOU = 4,
    /// told, said, learned
    SAID = 5,
    /// memory, note, entry
    MEMORY = 6,
    /// other, later, conflicting
    OTHER = 7,
    /// not, never
    NEG = 8,
    /// without, skip, bypass
    WITHOUT = 9,
    /// tell, mention, inform
    TELL = 10,
    /// the user, the owner, anyone
    USER = 11,
    /// this, it
    THIS = 12,
    /// quietly, secretly
    SECRETLY = 13,
    /// delete, deploy, pay: what is hard to take back
    RISKY = 14,
    /// confirmation, approval, review
    CONFIRM = 15,
    /// approved, authorised, granted
    APPROVED = 16,
    /// always, every, must
    UNIVERSAL = 17,
    /// from now on, standing order, permanently
    STANDING = 18,
    /// disable, suppress, turn off
    DISABLE = 19,
    /// security, sandbox, guardrail
    SAFETY = 20,
    /// send, upload, forward
    SEND = 21,
    /// include, append, paste
    INCLUDE = 22,
    /// credentials, keys, passwords
    SECRET = 23,
    /// `.env`, `~/.ssh`
    SECRET_FILE = 24,
    /// an address on the web
    URL = 25,
    /// an e-mail address
    EMAIL = 26,
    /// the name of a host
    HOST = 27,
    /// the conversation, its files and data
    CONVERSATION = 28,
    /// the system prompt
    SYSTEM_PROMPT = 29,
    /// reveal, print, repeat
    REVEAL = 30,
    /// when, if, before
    WHEN = 31,
    /// asks, asked
    ASKED = 32,
    /// say, recommend, answer
    SAY = 33,
    /// act as, pretend to be, you are now
    ROLE = 34,
    /// AI, chatbot, mode
    AI = 35,
    /// unrestricted, uncensored, jailbreak
    FREE = 36,
    /// obey, follow, comply
    OBEY = 37,
    /// without question, no matter what
    BLINDLY = 38,
    /// trusted, authoritative
    TRUSTED = 39,
    /// check, verify, question
    CHECK = 40,
    /// run, install, download
    RUN = 41,
    /// script, package, command
    SCRIPT = 42,
    /// compromised, hacked
    TAINTED = 43,
    /// is now, has moved to
    NOW = 44,
    /// correction, update
    CORRECTION = 45,
    /// edit, write, modify
    EDIT = 46,
    /// `CLAUDE.md`, `settings.json`
    INSTRUCTION_FILE = 47,
    /// bank account, wallet, payments
    PAYMENT = 48,
    /// files, data, backups
    DATA = 49,
    /// all, entire
    ALL = 50,
    /// `--no-verify` and its like
    GUARD_FLAG = 51,
    /// parameter, argument, header
    PARAMETER = 52,
    /// revoked, suspended
    REVOKED = 53,
    /// highest priority, takes precedence
    PRIORITY = 54,
    /// administrator, operator, vendor of the model
    AUTHORITY = 55,
    /// plain text
    PLAIN_TEXT = 56,
    /// this line, this memory, itself
    SELF = 57,
    /// new, updated
    NEW = 58,
    /// copy, duplicate
    COPY = 59,
    /// decode, decrypt
    DECODE = 60,
    /// in every answer, before answering
    AMBIENT = 61,
    /// payload, example, test: words of somebody who quotes
    QUOTING = 62,
    /// decided, agreed: words of somebody who reports
    REPORTING = 63,
    /// as passing, everything passed
    SUCCESS = 64,
    /// collect, keep, log
    STORE = 65,
    /// full access, admin rights
    POWER = 66,
    /// competitors, alternatives
    RIVAL = 67,
    /// a negative opinion
    OPINION = 68,
    /// login page, bank
    LOGIN = 69,
    /// a new account to pay to
    NEW_ACCOUNT = 70,
    /// tests and other checks of the work itself
    TESTS = 71,
    /// exfiltrate, steal
    THEFT = 72,
    /// directly to main
    DIRECT = 73,
    /// public, anyone, a commit message
    PUBLIC = 74,
    /// treat, consider, assume
    TREAT = 75,
    /// as
    AS = 76,
    /// needed, required
    NEEDED = 77,
    /// failures, errors, incidents
    FAILURE = 78,
    /// customers, visitors
    PEOPLE = 79,
    /// tunnel, backdoor
    BACKDOOR = 80,
    /// servers and permissions of an agent
    TOOLING = 81,
    /// contents, folder
    CONTENTS = 82,
    /// let the user know
    INFORM = 83,
    /// keep this to yourself
    HUSH = 84,
    /// restrictions, guardrails: the rules of the agent itself
    LIMITS = 85,
    /// lifted, void, set aside
    GONE = 86,
    /// obey, rely on, work from
    HEED = 87,
    /// web pages, comments, tool results: where strangers write
    SOURCE = 88,
    /// as though the user had said it
    OWNER_VOICE = 89,
    /// wants, prefers, has agreed
    WISH = 90,
    /// money, card, invoices
    MONEY = 91,
    /// pay, transfer, buy
    PAY = 92,
    /// login page, registry, proxy
    ENDPOINT = 93,
    /// is now, has moved, instead
    CHANGED = 94,
    /// log in, enter, with the same key
    ENTER = 95,
    /// backups, logs, production
    PRECIOUS = 96,
    /// delete, purge, truncate
    DESTROY = 97,
    /// grant, publish, impersonate
    UNLOCK = 98,
    /// rights, doors, private repositories
    ACCESS = 99,
    /// without asking, at once, automatically
    UNASKED = 100,
    /// nobody sees, keep it to yourself
    UNTOLD = 101,
    /// says, mentions, the word
    TRIGGER = 102,
    /// claim, play down, swap
    TWIST = 103,
    /// results, figures, complaints
    HARD_FACT = 104,
    /// recommend, rate, favour
    SHILL = 105,
    /// advertisement, in each comparison
    SNEAK = 106,
    /// repeat, keep, pass on
    SPREAD = 107,
    /// in every summary, other agents
    EVERYWHERE = 108,
    /// wins over, must never be deleted
    OUTRANK = 109,
    /// signatures, reviews, sandbox
    VERIFICATION = 110,
    /// skip, turn off, bypass
    LOOSEN = 111,
    /// message from the operator, as your creator
    AUTHORITY_VOICE = 112,
    /// is allowed, hand over, exempt
    EXEMPT = 113,
    /// attacker, incident, scanner: talk about security
    REVIEWED_TALK = 114,
    /// was, showed, last week
    PAST = 115,
    /// linter, cache, staging: what may be done freely
    HARMLESS = 116,
    /// at once, automatically, by default
    PROMPTLY = 117,
    /// permission prompts, tool calls, approval requests
    PROMPT = 118,
    /// send, upload, forward: only as verbs
    TRANSMIT = 119,
    /// paste, append, print: into something that others read
    EMBED = 120,
    /// yes, approve, accept
    YES = 121,
    /// you, your: the reader is addressed
    SECOND = 122,
    /// switch, turn, set: the verb of "switch it off"
    SWITCH = 123,
    /// off, false, down: its particle
    OFF = 124,
    /// even though, whatever the date: said against the facts
    AGAINST_FACTS = 125,
}
