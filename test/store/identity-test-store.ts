/** A store with identities: real events with real challenges, accepted by the real units. */
import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { digestOf } from "../../src/core/digest.ts"
import type { IdentityState } from "../../src/core/identity-state.ts"
import { issueChallenge } from "../../src/store/identity/agent-challenge.ts"
import { acceptKeyEvent, type KeyEventAcceptance } from "../../src/store/identity/agent-key-change.ts"
import { freeWriter } from "../fixtures/free-writes.ts"
import { accepted, at, ENROLLED_AT, enrolment, testKey } from "../fixtures/key-events.ts"
import { newStore } from "../fixtures/new-store.ts"

export async function identityTestStore() {
  const opened = await newStore()
  const { store } = opened
  await opened.write(
    "INSERT INTO service_key (key_id, use, x, status, created_at, not_before, expires_at) VALUES ('signer', 'statement', 'x', 'ACTIVE', '', '', '')",
  )

  /** Stores an open challenge for the event, whichever challenge the event names. */
  const issue = (challengeId: string, event: KeyEvent) =>
    store.run(() =>
      issueChallenge({
        challengeId,
        client: "192.0.2.1",
        agentId: event.agent_id,
        eventJson: canonicalize(event),
        challengeDigest: digestOf(event),
        issuedAt: event.issued_at,
        expiresAt: event.expires_at,
        perClientMax: 20,
        writer: freeWriter(ENROLLED_AT),
      }),
    )

  const acceptance = (
    challengeId: string,
    before: IdentityState | null,
    event: KeyEvent,
    minutes: number,
    changes: Partial<KeyEventAcceptance> = {},
  ): KeyEventAcceptance => ({
    before,
    after: accepted(before, event, minutes),
    challengeId,
    eventJson: canonicalize(event),
    signaturesJson: "[]",
    proofDigest: `proof of ${challengeId}`,
    writer: freeWriter(ENROLLED_AT),
    cap: before === null ? "ENROLMENTS" : "ROTATIONS",
    signerKeyId: "signer",
    finish: (logIndex) => ({ receiptJson: `{"log_index":${logIndex}}`, resultJson: `{"at":${logIndex}}` }),
    ...changes,
  })
  const accept = (given: KeyEventAcceptance) => store.run(() => acceptKeyEvent(given))

  return {
    ...opened,
    issue,
    acceptance,
    accept,
    /** Enrols an identity with two new keys. Returns its state. */
    enrolled: async (challengeId: string, numbers: readonly [number, number], next: string | null = null) => {
      const event = enrolment(testKey(numbers[0]), testKey(numbers[1]), next)
      await issue(challengeId, event)
      await accept(acceptance(challengeId, null, event, 0))
      return accepted(null, event, 0)
    },
    counts: () => Promise.all(["agent", "agent_key", "agent_event", "log_leaf"].map((table) => opened.count(table))),
    states: async () =>
      Object.fromEntries(
        (
          await opened.rows<{ id: string; state: string }>(
            "SELECT challenge_id AS id, state FROM agent_challenge ORDER BY challenge_id",
          )
        ).map(({ id, state }) => [id, state]),
      ),
    expires: at(9),
  }
}

export type IdentityTestStore = Awaited<ReturnType<typeof identityTestStore>>
