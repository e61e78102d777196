import { expect, test } from "bun:test"
import { type ReplayFacts, replayOutcome } from "../../../../src/products/agent-id/outcomes/replay.ts"

const ID = `sha256:${"b".repeat(64)}`

test.each<[string, ReplayFacts, "OBSERVE" | "RECORD", string, boolean, string | null, string[]]>([
  ["no nonce", { kind: "NO_NONCE" }, "OBSERVE", "NOT_TRACKED", false, null, ["NO_NONCE"]],
  ["no key", { kind: "KEY_UNAVAILABLE" }, "RECORD", "NOT_EVALUATED", false, null, ["KEY_UNAVAILABLE"]],
  ["no state", { kind: "STATE_UNAVAILABLE" }, "OBSERVE", "NOT_EVALUATED", false, null, ["STATE_UNAVAILABLE"]],
  ["a new nonce", { kind: "LOOKED", seen: false, refusedToRecord: false }, "OBSERVE", "NOT_SEEN", false, null, []],
  ["a known nonce", { kind: "LOOKED", seen: true, refusedToRecord: false }, "RECORD", "SEEN", false, null, []],
  [
    "a nonce not worth recording",
    { kind: "LOOKED", seen: false, refusedToRecord: true },
    "RECORD",
    "NOT_SEEN",
    false,
    null,
    ["NONCE_NOT_RECORDED"],
  ],
  ["a recorded nonce", { kind: "RECORDED", recordId: ID }, "RECORD", "NOT_SEEN", true, ID, []],
])("%s", (_, facts, mode, outcome, consumed, recordId, reasons) => {
  expect(replayOutcome(facts, mode)).toEqual({
    outcome,
    scope: "AGENT_KEY_AUDIENCE_NONCE",
    mode,
    nonce_consumed: consumed,
    record_id: recordId,
    reason_codes: reasons,
  } as never)
})
