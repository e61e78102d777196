/**
 * What a reviewer does, from the words of a form to a stored record. An act that a passkey signs takes two steps: `composeAct` makes the record and
 * its challenge, `takeAct` verifies the assertion and stores it. Acts of a session, and the operator's own, take one.
 */
import { Value } from "@sinclair/typebox/value"
import {
  type PasskeyAssertion,
  ReviewEntry,
  type ReviewKind,
  type ReviewReason,
  type ReviewRecord,
  type ReviewSubject,
} from "../../schemas/review.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { NATIVE_CRYPTO } from "../core/crypto/native-crypto.ts"
import { digestOf } from "../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import type { CeremonyFault } from "../core/passkeys/ceremony.ts"
import { challengeOf, checkRecordAssertion } from "../core/review/review-chain.ts"
import { formatInstant } from "../core/time.ts"
import { type JudgedParty, newestDigest, recordAudience } from "../store/review/review-records.ts"
import { findKey } from "../store/review/review-register.ts"
import { type GivenRecord, type Taken, takeRecord } from "../store/review/take-record.ts"
import type { ReviewDeps } from "./deps.ts"
import { askFor, type Composed, challengeIn, readPurpose } from "./purposes.ts"

/** What a reviewer states; the other members of the record are the same for all. */
export interface ActDraft extends Pick<ReviewRecord, "case" | "hit" | "until" | "answers" | "reviewer" | "key_id"> {
  readonly kind: ReviewKind
  readonly subject: ReviewSubject | null
  /** An answer repeats the digest of the subject that it answers. */
  readonly subjectDigest: string | null
  /** The reason, or the text of the note. */
  readonly text: string | null
  readonly judged: JudgedParty | null
  readonly shown: string | null
}

/** Members of a draft that most acts do not have. */
export const NO_MEMBERS = {
  case: null,
  hit: null,
  until: null,
  answers: null,
  subject: null,
  subjectDigest: null,
  text: null,
  judged: null,
  shown: null,
} as const satisfies Partial<ActDraft>

const SALT_BYTES = 16
const NONCE_BYTES = 24

async function composed({ store, machine, ...place }: ReviewDeps, draft: ActDraft): Promise<Composed> {
  const { kind, subject, text, judged, shown, subjectDigest, ...members } = draft
  const reason: ReviewReason | null = text === null ? null : { salt: encodeBase64url(machine.random(SALT_BYTES)), text }
  const record: ReviewRecord = {
    domain: "svc.review-record.v1",
    audience: (await store.read(recordAudience)) ?? place.audience,
    environment: place.environment,
    kind,
    ...members,
    subject_digest: subject ? digestOf(subject) : subjectDigest,
    reason_digest: reason && digestOf(reason),
    origin: place.origin,
    nonce: encodeBase64url(machine.random(NONCE_BYTES)),
    recorded_at: formatInstant(machine.now()),
    previous: await store.read(() => newestDigest(members.case?.number ?? 0)),
  }
  return { record, subject, reason, judged, shown }
}

/** Makes a record and its challenge, which one assertion of this session may sign within ten minutes. */
export async function composeAct(
  deps: ReviewDeps,
  sessionHash: string,
  draft: ActDraft,
): Promise<{ readonly record: ReviewRecord; readonly challenge: string }> {
  const act = await composed(deps, draft)
  const challenge = challengeOf(act.record, NATIVE_CRYPTO)
  await askFor(deps, sessionHash, { asks: "RECORD", act }, challenge)
  return { record: act.record, challenge }
}

/** Verifies the assertion over the record of a challenge, and stores the record. */
export async function takeAct(
  deps: ReviewDeps,
  sessionHash: string,
  assertion: PasskeyAssertion,
): Promise<Taken | { readonly fault: CeremonyFault }> {
  const challenge = challengeIn(assertion)
  if (challenge === null) return { fault: "CLIENT_DATA" }
  const purpose = await readPurpose(deps, sessionHash, challenge)
  if (purpose?.asks !== "RECORD") return { fault: "CHALLENGE_UNKNOWN" }
  if (!Value.Check(FORMS.assertion, assertion)) return { fault: "SHAPE" }
  const { act } = purpose
  const { record, subject } = act
  const key = await enrolledKey(deps, record)
  const enrolment = subject?.kind === "ENROL" && key === null ? subject : key
  if (enrolment === null) return { fault: "KEY_UNKNOWN" }
  // The unit compares the counter: it may have grown meanwhile.
  const checked = checkRecordAssertion({ record, assertion }, enrolment, 0, NATIVE_CRYPTO)
  if (checked.fault !== null) return { fault: checked.fault }
  return store(deps, { ...act, signed: { assertion, counter: checked.counter, challenge, sessionHash } })
}

/** Stores a record that no passkey signs: a note, an assignment, or the operator's revocation of a key. */
export async function recordAct(deps: ReviewDeps, draft: ActDraft): Promise<Taken> {
  return store(deps, { ...(await composed(deps, draft)), signed: null })
}

/** The parts of an entry of an export. One part of another form would keep every later export from verifying, so none is stored. */
const FORMS = ReviewEntry.properties

async function store(
  { store, machine, isListed }: ReviewDeps,
  act: Composed & Pick<GivenRecord, "signed">,
): Promise<Taken> {
  const { record, subject, reason } = act
  const isEntry =
    Value.Check(FORMS.record, record) && Value.Check(FORMS.subject, subject) && Value.Check(FORMS.reason, reason)
  if (!isEntry) return { fault: "MEMBERS" }
  const at = formatInstant(machine.now())
  const suppressionId = formatId("sup", machine.random(ID_RANDOM_BYTES))
  return store.run(() => takeRecord({ ...act, at, suppressionId, isListed }), "log")
}

async function enrolledKey({ store }: ReviewDeps, { key_id: keyId }: ReviewRecord) {
  const key = await store.read(() => findKey(keyId ?? ""))
  if (!key) return null
  const { credentialId, publicKey, algorithm } = key
  return { credential_id: credentialId, public_key: publicKey, algorithm: algorithm as -8 | -7 | -257 }
}
