/** Every command once, in an order in which a person could type all the examples into one folder: later ones use the files of earlier ones. */

export interface ExampleStep {
  readonly title: string
  /** Names of commands. All examples of one are typed one after another. */
  readonly commands: readonly string[]
}

export const EXAMPLE_STEPS: readonly ExampleStep[] = [
  {
    title: "a machine with nothing on it",
    commands: [
      ...[
        "release keygen",
        "release sign",
        "version",
        "completion",
        "man",
        "policies",
        "openapi",
        "agent job schema",
        "agent contact",
      ],
      ...["agent keygen", "buyers keygen", "sources keygen", "agent job verify", "init"],
    ],
  },
  {
    title: "a data directory",
    commands: [
      ...["sources import", "sources fetch", "sources status", "sources history", "sources entry", "sources rollback"],
      ...["sources export", "sources verify", "company", "screen", "rehearse"],
      ...["screening changes", "screening bench"],
      ...["suppressions add", "suppressions list"],
      ...["buyers add", "buyers add-key", "buyers list", "buyers renew"],
      ...["acp status", "acp jobs", "acp job", "acp facts", "acp pause", "acp resume"],
      ...["sales status", "sales stop", "sales start", "sales window"],
      ...["config set", "config check", "config print", "install-unit", "upgrade check", "mail test"],
      ...["keys list", "keys export", "sandbox key", "sandbox run"],
    ],
  },
  {
    title: "a running server",
    commands: [
      ...[
        "serve",
        "check",
        "buyers sign-supplier",
        "buyers supplier",
        "capabilities",
        "mcp",
        "agent enroll",
        "agent delegate",
        "agent sign",
        "agent verify-signature",
      ],
      ...["agent plan", "agent readiness", "agent price", "agent routes", "agent reuse"],
      ...["agent dialogue", "agent beacon consent", "agent beacon event", "agent beacon revoke", "beacon report"],
      ...["agent opt-out", "agent sign-request", "agent job draft", "agent job bind"],
      ...["log checkpoint", "log audit", "agent verify-bundle", "instances"],
    ],
  },
  {
    title: "a server that sells on a chain",
    commands: [
      ...["agent quote", "agent pay", "agent recover", "agent wallet import", "agent wallet list"],
      ...["payments owed", "answers list", "export", "verify", "show", "replay", "backup", "backup verify", "restore"],
      ...[
        "review list",
        "review show",
        "review add",
        "review open",
        "review export",
        "review verify",
        "review revoke",
        "review redact",
        "review try",
      ],
      ...["suppressions confirm", "buyers confirm", "identities list", "identities confirm"],
      ...["agent rotate", "agent revoke"],
    ],
  },
  {
    title: "a data directory that nobody serves any more",
    commands: [
      ...["suppressions revoke", "keys rotate", "keys revoke", "buyers revoke-key", "buyers revoke"],
      "log new-origin",
    ],
  },
]

/** After the server of the examples has stopped. */
export const SERVER_STEP: ExampleStep = {
  title: "a data directory whose server has stopped",
  commands: ["keys replace-hmac", "database move", "database verify", "database restored"],
}
