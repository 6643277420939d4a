//! The top-level keys of the client's settings whose type voids the whole file when it is wrong.
//!
//! Found by giving the client (2.1.328) each key with each type. Keys that are not in the table may
//! hold anything. Pure.

#![forbid(unsafe_code)]

use super::document::{Node, Value};

/// What a key must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A string.
    Text,
    /// `true` or `false`.
    Truth,
    /// `true`, `false` or `null`.
    TruthOrNull,
    /// An array.
    List,
    /// An array of objects.
    Objects,
    /// An array of objects, or `null`.
    ObjectsOrNull,
    /// An array or a string.
    ListOrText,
    /// An object.
    Object,
    /// An object whose values are strings.
    Texts,
    /// An object whose values are `true`, `false` or arrays.
    Plugins,
    /// An object whose values are objects.
    ObjectOfObjects,
    /// An object, `true` or `false`.
    ObjectOrTruth,
    /// A whole number above zero.
    Count,
    /// A number from 0 to 1.
    Share,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// One of these words, or `null`.
    OneOfOrNull(&'static [&'static str]),
    /// An object whose values are among these words.
    ValuesOf(&'static [&'static str]),
    /// An object whose `type` is `command` and whose `command` is a string.
    Command,
    /// An object whose `mode` is one of these words.
    Mode(&'static [&'static str]),
}

/// The keys.
pub const KEYS: &[(&str, Shape)] = &[
    ("$schema", Shape::Text),
    ("advisorModel", Shape::Text),
    ("agent", Shape::Text),
    ("agentPushNotifEnabled", Shape::Truth),
    ("allowManagedHooksOnly", Shape::TruthOrNull),
    ("allowManagedMcpServersOnly", Shape::TruthOrNull),
    ("allowManagedPermissionRulesOnly", Shape::TruthOrNull),
    ("allowedChannelPlugins", Shape::Objects),
    ("allowedHttpHookUrls", Shape::List),
    ("alwaysThinkingEnabled", Shape::Truth),
    ("apiKeyHelper", Shape::Text),
    ("attribution", Shape::ObjectOrTruth),
    ("autoCompactEnabled", Shape::Truth),
    ("autoMemoryDirectory", Shape::Text),
    ("autoMemoryEnabled", Shape::Truth),
    ("autoMode", Shape::Object),
    ("autoScrollEnabled", Shape::Truth),
    ("autoUpdatesChannel", Shape::OneOf(&["latest", "stable", "rc"])),
    ("availableModels", Shape::List),
    ("awaySummaryEnabled", Shape::Truth),
    ("awsAuthRefresh", Shape::Text),
    ("awsCredentialExport", Shape::Text),
    ("blockedMarketplaces", Shape::ObjectsOrNull),
    ("channelsEnabled", Shape::TruthOrNull),
    ("claudeMdExcludes", Shape::List),
    ("cleanupPeriodDays", Shape::Count),
    ("companyAnnouncements", Shape::List),
    ("defaultShell", Shape::OneOf(&["bash", "powershell"])),
    ("disableAllHooks", Shape::Truth),
    ("disableAutoMode", Shape::OneOfOrNull(&["disable"])),
    ("disableDeepLinkRegistration", Shape::OneOfOrNull(&["disable"])),
    ("disableRemoteControl", Shape::TruthOrNull),
    ("disableSkillShellExecution", Shape::TruthOrNull),
    ("disabledMcpjsonServers", Shape::ListOrText),
    ("enableAllProjectMcpServers", Shape::TruthOrNull),
    ("enabledMcpjsonServers", Shape::ListOrText),
    ("enabledPlugins", Shape::Plugins),
    ("env", Shape::Object),
    ("fastMode", Shape::Truth),
    ("fastModePerSessionOptIn", Shape::TruthOrNull),
    ("feedbackSurveyRate", Shape::Share),
    ("fileCheckpointingEnabled", Shape::Truth),
    ("fileSuggestion", Shape::Command),
    ("forceLoginOrgUUID", Shape::ListOrText),
    ("gcpAuthRefresh", Shape::Text),
    ("httpHookAllowedEnvVars", Shape::List),
    ("includeCoAuthoredBy", Shape::Truth),
    ("includeGitInstructions", Shape::Truth),
    ("language", Shape::Text),
    ("minimumVersion", Shape::Text),
    ("model", Shape::Text),
    ("modelOverrides", Shape::Texts),
    ("otelHeadersHelper", Shape::Text),
    ("outputStyle", Shape::Text),
    ("parentSettingsBehavior", Shape::OneOf(&["first-wins", "merge"])),
    ("permissions", Shape::Object),
    ("plansDirectory", Shape::Text),
    ("pluginConfigs", Shape::ObjectOfObjects),
    ("pluginTrustMessage", Shape::Text),
    ("prefersReducedMotion", Shape::Truth),
    ("promptSuggestionEnabled", Shape::Truth),
    ("remote", Shape::Object),
    ("respectGitignore", Shape::Truth),
    ("sandbox", Shape::Object),
    ("showClearContextOnPlanAccept", Shape::Truth),
    ("showThinkingSummaries", Shape::Truth),
    ("showTurnDuration", Shape::Truth),
    ("skillListingBudgetFraction", Shape::Share),
    ("skillOverrides", Shape::ValuesOf(&["on", "name-only", "user-invocable-only", "off"])),
    ("skipAutoPermissionPrompt", Shape::TruthOrNull),
    ("skipDangerousModePermissionPrompt", Shape::TruthOrNull),
    ("skipWebFetchPreflight", Shape::TruthOrNull),
    ("spinnerTipsEnabled", Shape::Truth),
    ("spinnerVerbs", Shape::Mode(&["append", "replace"])),
    ("sshConfigs", Shape::Objects),
    ("statusLine", Shape::Command),
    ("strictKnownMarketplaces", Shape::ObjectsOrNull),
    ("syntaxHighlightingDisabled", Shape::Truth),
    ("terminalTitleFromRename", Shape::Truth),
    ("todoFeatureEnabled", Shape::Truth),
    ("tui", Shape::OneOf(&["default", "fullscreen"])),
    ("useAutoModeDuringPlan", Shape::TruthOrNull),
    ("verbose", Shape::Truth),
    ("voiceEnabled", Shape::Truth),
    ("wslInheritsWindowsSettings", Shape::Truth),
    ("worktree", Shape::Object),
];

/// Top-level keys that hold other people's objects, in which any key may stand.
pub const KNOWN_OTHERWISE: &[&str] = &["hooks", "mcpServers", "extraKnownMarketplaces"];

/// The shape of a key, if a wrong one voids the file.
pub fn shape(key: &str) -> Option<Shape> {
    KEYS.iter().find(|(known, _)| *known == key).map(|(_, shape)| *shape)
}

impl Shape {
    /// Whether a value has this shape.
    pub fn fits(self, node: &Node) -> bool {
        let each = |fits: &dyn Fn(&Node) -> bool| {
            node.is_object() && node.counted().all(|member| fits(&member.node))
        };
        let word =
            |node: &Node, words: &[&str]| node.text().is_some_and(|text| words.contains(&text));
        let is_null = node.value == Value::Null;
        let is_truth = node.truth().is_some();
        let is_objects = node.is_list() && node.items().iter().all(Node::is_object);
        match self {
            Self::Text => node.text().is_some(),
            Self::Truth => is_truth,
            Self::TruthOrNull => is_truth || is_null,
            Self::List => node.is_list(),
            Self::Objects => is_objects,
            Self::ObjectsOrNull => is_objects || is_null,
            Self::ListOrText => node.is_list() || node.text().is_some(),
            Self::Object => node.is_object(),
            Self::Texts => each(&|value| value.text().is_some()),
            Self::Plugins => each(&|value| value.is_list() || value.truth().is_some()),
            Self::ObjectOfObjects => each(&Node::is_object),
            Self::ObjectOrTruth => node.is_object() || is_truth,
            Self::Count => {
                node.number().is_some_and(|number| number >= 1.0 && number.fract() == 0.0)
            }
            Self::Share => node.number().is_some_and(|number| (0.0..=1.0).contains(&number)),
            Self::OneOf(words) => word(node, words),
            Self::OneOfOrNull(words) => is_null || word(node, words),
            Self::ValuesOf(words) => each(&|value| word(value, words)),
            Self::Command => {
                node.get("type").and_then(Node::text) == Some("command")
                    && node.get("command").and_then(Node::text).is_some()
            }
            Self::Mode(words) => node.get("mode").is_some_and(|mode| word(mode, words)),
        }
    }

    /// What it should be, for a person.
    pub fn wanted(self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Truth => "true or false".to_owned(),
            Self::TruthOrNull => "true, false or null".to_owned(),
            Self::List => "a list".to_owned(),
            Self::Objects => "a list of objects".to_owned(),
            Self::ObjectsOrNull => "a list of objects, or null".to_owned(),
            Self::ListOrText => "a list or a string".to_owned(),
            Self::Object => "an object".to_owned(),
            Self::Texts => "an object of strings".to_owned(),
            Self::Plugins => "an object of true, false or lists".to_owned(),
            Self::ObjectOfObjects => "an object of objects".to_owned(),
            Self::ObjectOrTruth => "an object, true or false".to_owned(),
            Self::Count => "a whole number above 0".to_owned(),
            Self::Share => "a number from 0 to 1".to_owned(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
            Self::OneOfOrNull(words) => format!("null or one of {}", words.join(", ")),
            Self::ValuesOf(words) => format!("an object of {}", words.join(", ")),
            Self::Command => "an object with the type `command` and a command".to_owned(),
            Self::Mode(words) => format!("an object whose mode is one of {}", words.join(", ")),
        }
    }
}
