/** What the document says of each. */
export const TAGS = {
  Signals: "What is monitored: one series of strengths each, with its quality, its status and its history.",
  Sources: "Where readings come from.",
  Alerts:
    "Rules that say when a signal has failed, the alerts that come of them, and silences for when nobody is to hear.",
  Webhooks: "Events sent to endpoints of yours: signed, in order, tried again, seen.",
  Events: "What happened to signals and sources, in order; as pages, and as a live stream.",
  Keys: "API keys.",
  OAuth: "Programs that act for people who let them, or for the account.",
  People: "Who is in the account, who is invited, and who asks for access.",
  Account: "The account itself, and who changed what in it.",
  Me: "What people do about themselves, with the session of their browser.",
  Service: "How the service itself is.",
} as const;
export type Tag = keyof typeof TAGS;
