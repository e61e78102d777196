-- Answers to signed messages of agents, kept so that the same bytes get the same answer. Rows end by themselves.
CREATE TABLE agent_message (
  agent_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  response TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, domain, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_message_expiry ON agent_message (expires_at, agent_id, domain, idempotency_key);
CREATE INDEX agent_message_newest ON agent_message (agent_id, domain, expires_at, idempotency_key);

-- What the operator stopped, started and scheduled. Append-only: the newest STOP or START of a scope counts, and the newest WINDOW.
-- scope is ALL, BEACON or a channel.
CREATE TABLE sales_switch (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  scope TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('STOP', 'START', 'WINDOW')),
  opens TEXT,
  closes TEXT,
  reason TEXT NOT NULL,
  CHECK ((action = 'WINDOW') = (opens IS NOT NULL AND closes IS NOT NULL))
) STRICT;
CREATE INDEX sales_switch_state ON sales_switch (scope, id) WHERE action IN ('STOP', 'START');
CREATE INDEX sales_switch_window ON sales_switch (scope, id) WHERE action = 'WINDOW';

-- What agents left. Append-only: the newest row of (agent, scope, value) counts. value is a product, a channel, or empty for ALL.
CREATE TABLE sales_opt_out (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  scope TEXT NOT NULL CHECK (scope IN ('ALL', 'PRODUCT', 'CHANNEL')),
  value TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('OPT_OUT', 'OPT_IN')),
  effective_at TEXT NOT NULL,
  request_digest TEXT NOT NULL
) STRICT;
CREATE INDEX sales_opt_out_newest ON sales_opt_out (agent_id, scope, value, id);

-- Open dialogues: the last turn, the digest of its answer, and the offers in it as a JSON list of ids.
CREATE TABLE sales_dialogue (
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  dialogue_id TEXT NOT NULL,
  turn INTEGER NOT NULL CHECK (turn BETWEEN 0 AND 31),
  last_digest TEXT NOT NULL,
  last_offers TEXT NOT NULL,
  ends_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, dialogue_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sales_dialogue_open ON sales_dialogue (agent_id, ends_at, dialogue_id);
CREATE INDEX sales_dialogue_end ON sales_dialogue (ends_at, agent_id, dialogue_id);

-- Offers. Whether one is paid is never written here: the records of deliveries say it.
CREATE TABLE sales_offer (
  offer_capsule_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  presentations INTEGER NOT NULL CHECK (presentations >= 1),
  state TEXT NOT NULL CHECK (state IN ('QUEUED', 'RETRYING', 'DELIVERED')),
  capsule TEXT NOT NULL,
  valid_until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sales_offer_live ON sales_offer (agent_id, product_id, valid_until, offer_capsule_id);
CREATE INDEX sales_offer_end ON sales_offer (valid_until, offer_capsule_id);
CREATE INDEX decision_request_offer ON decision_request (product, idempotency_key, state)
  WHERE substr(idempotency_key, 1, 4) = 'ofr_';

-- Consents of the Intent Beacon. terms is the agent's signed message.
CREATE TABLE beacon_consent (
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  consent_id TEXT NOT NULL,
  terms TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  granted_at TEXT NOT NULL,
  valid_until TEXT NOT NULL,
  revoked_at TEXT,
  ended_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, consent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX beacon_consent_live ON beacon_consent (agent_id, valid_until, consent_id) WHERE revoked_at IS NULL;
CREATE INDEX beacon_consent_end ON beacon_consent (ended_at, agent_id, consent_id);

-- Events of a consent on one UTC day, for its limit.
CREATE TABLE beacon_consent_day (
  agent_id TEXT NOT NULL,
  consent_id TEXT NOT NULL,
  day TEXT NOT NULL,
  events INTEGER NOT NULL CHECK (events >= 1),
  PRIMARY KEY (agent_id, consent_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX beacon_consent_day_end ON beacon_consent_day (day, agent_id, consent_id);

-- Digests of agent and event id, so that an event counts once.
CREATE TABLE beacon_seen (
  digest TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX beacon_seen_expiry ON beacon_seen (expires_at, digest);

-- All that stays of events: how many of a kind a day, by product (empty: none named) and channel. No agent is in it.
CREATE TABLE beacon_count (
  day TEXT NOT NULL,
  event_kind TEXT NOT NULL,
  product_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  events INTEGER NOT NULL CHECK (events >= 1),
  PRIMARY KEY (day, event_kind, product_id, channel)
) STRICT, WITHOUT ROWID;
