/** What the commands of each first word are for. A test holds the names against the command table. */
export const GROUPS: Readonly<Record<string, string>> = {
  config: "the settings of this server",
  keys: "the service's own keys: list, rotate, revoke, publish",
  agent: "the caller's side: keys, requests, quotes, payments, jobs",
  sandbox: "rehearse an agent's journey with synthetic data",
  identities: "identities of agents that a restore paused",
  buyers: "buyer organizations and their mandate keys",
  acp: "decisions that are bought as on-chain jobs",
  sources: "lists and registers: import, fetch, age, history",
  screening: "what changed on the lists, and how well screening finds",
  suppressions: "judgements that a party is not a listed entry",
  review: "held answers that wait for a person",
  sales: "agent sales and the Intent Beacon: start, stop, hours",
  beacon: "what agents reported over the Intent Beacon",
  database: "move the database to a server and back, compare it, record a restored state",
  upgrade: "what a newer release would change",
  log: "the transparency log: checkpoint, audit, name",
  answers: "what was sold",
  payments: "payments that need a person",
  mail: "contact by e-mail",
  release: "for the publisher: the key that signs releases",
}

/** The three commands from an empty machine to a service that answers. */
export const FIRST_COMMANDS = ["init", "sources import", "serve"] as const
