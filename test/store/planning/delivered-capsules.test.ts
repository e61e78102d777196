import { expect, test } from "bun:test"
import { findCapsuleByDigest } from "../../../src/store/planning/delivered-capsules.ts"
import { newStore } from "../../fixtures/new-store.ts"

test("of equal response digests the same delivery is found, whatever the order of its rows", async () => {
  const found: (string | null)[] = []
  for (const ids of [
    ["drq_1", "drq_2", "drq_3"],
    ["drq_3", "drq_2", "drq_1"],
    ["drq_2", "drq_3", "drq_1"],
  ]) {
    await using opened = await newStore()
    const insert =
      "INSERT INTO delivery (request_id, purchase_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest, key_id, valid_until, computed_at, body, response_digest) VALUES (?1, ?1, ?1, ?1, '{}', '{}', ?1, '', '', '', '', '{}', 'same')"
    for (const id of ids) await opened.writeLoose(insert, id)
    found.push(await opened.store.read(() => findCapsuleByDigest("same")))
    await opened.writeLoose("DELETE FROM delivery WHERE request_id = 'drq_1'")
    found.push(await opened.store.read(() => findCapsuleByDigest("same")))
  }
  expect(found).toEqual(["drq_1", "drq_2", "drq_1", "drq_2", "drq_1", "drq_2"])
})
