import { expect, test } from "bun:test"
import { KeyControlClaim } from "../../../schemas/agent-id/claim.ts"
import { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DEPTH_MAX } from "../../../src/core/strict-json.ts"
import { BODY_BYTES_MAX, compile } from "../../../src/http/read-body.ts"
import { KEY_CONTROL_CLAIM } from "../../../src/products/agent-id/claim.ts"

/** A published version never changes. Another digest here needs another `claim_version`. */
const PUBLISHED: Readonly<Record<string, string>> = {
  "1.0.0": "sha256:ed019c5e7f03267c2eb07b69032086cc518fc8df7bf68fa6ae59ca7092038092",
  "1.1.0": "sha256:b51a14a5750c3750aa119897e33d150c156e938a2fe9cecf72162c3f7d12f11c",
}

test("the claim of each version equals the document published under that version", () => {
  expect(String(digestOf(KEY_CONTROL_CLAIM))).toBe(PUBLISHED[KEY_CONTROL_CLAIM.claim_version] ?? "")
})

test("the claim is closed, names the seven limitations in the interface's order, and explains each differently", () => {
  expect([...compile(KeyControlClaim).Errors(KEY_CONTROL_CLAIM)]).toEqual([])
  expect(KEY_CONTROL_CLAIM.limitations).toEqual([...AGENT_ID_LIMITATIONS])
  expect(Object.keys(KEY_CONTROL_CLAIM.limitation_texts)).toEqual([...AGENT_ID_LIMITATIONS])
  expect(new Set(Object.values(KEY_CONTROL_CLAIM.limitation_texts)).size).toBe(7)
})

test("the limits stated in the canonical form equal the reader's limits", () => {
  const rules = KEY_CONTROL_CLAIM.canonicalization.input_rules.join("\n")
  expect(rules).toContain(`nested at most ${DEPTH_MAX} deep`)
  expect(rules).toContain(`at most ${BODY_BYTES_MAX} bytes`)
})
