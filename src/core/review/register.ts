/** Who may judge: the enrolled keys, from whose cases their persons are recused, and how many persons a judgement needs. */
import type { Enrolment, ReviewedCase } from "../../../schemas/review.ts"

export interface ReviewPolicy {
  /** Persons who must judge, with the one who proposes. */
  readonly persons: number
  /** Persons who must be able to judge. */
  readonly of: number
}

/** CHOICE: before a record says otherwise, one reviewer judges alone. */
export const ONE_PERSON: ReviewPolicy = { persons: 1, of: 1 }

/** PENDING: enrolled, and not yet approved. */
type KeyState = "PENDING" | "ACTIVE" | "REVOKED"

export interface RegisteredKey {
  readonly reviewer: string
  /** Unique among all keys, revoked ones too. */
  readonly credentialId: string
  readonly state: KeyState
}

export interface Register {
  readonly policy: ReviewPolicy
  readonly keys: ReadonlyMap<string, RegisteredKey>
  /** By reviewer. */
  readonly recusals: ReadonlyMap<string, readonly string[]>
}

export const EMPTY_REGISTER: Register = { policy: ONE_PERSON, keys: new Map(), recusals: new Map() }

/** Persons, not keys. */
export function activePersons({ keys }: Register): ReadonlySet<string> {
  return new Set([...keys.values()].filter(({ state }) => state === "ACTIVE").map(({ reviewer }) => reviewer))
}

export function isActive({ keys }: Register, keyId: string | null): boolean {
  return keyId !== null && keys.get(keyId)?.state === "ACTIVE"
}

/** Whether the person has a key that is not revoked. A restore pauses keys, and changes no such answer. */
export function hasKey({ keys }: Register, reviewer: string): boolean {
  return [...keys.values()].some((key) => key.reviewer === reviewer && key.state !== "REVOKED")
}

/** Whether a key, also a revoked one, has this id or this credential. */
export function isKnownKey({ keys }: Register, { key_id, credential_id }: Enrolment): boolean {
  return keys.has(key_id) || [...keys.values()].some(({ credentialId }) => credentialId === credential_id)
}

/** `about` null: a record about reviewers. */
export function isRecused(
  { recusals }: Register,
  reviewer: string,
  about: Pick<ReviewedCase, "payer" | "organization_id"> | null,
): boolean {
  if (about === null) return false
  const named = [`payer:${about.payer.toLowerCase()}`, `org:${about.organization_id ?? ""}`]
  return (recusals.get(reviewer) ?? []).some((one) => named.includes(one))
}

/** CHOICE: a policy is laxer if fewer persons must judge, or fewer must be able to. */
export function isLaxer(before: ReviewPolicy, after: ReviewPolicy): boolean {
  return after.persons < before.persons || after.of < before.of
}

/** `1`, `2` (of two) or `2/3`. */
export function policyText({ persons, of }: ReviewPolicy): string {
  return persons === of ? `${persons}` : `${persons}/${of}`
}

/** The register with a new key. A later enrolment adds its recusals to those of the person. */
export function enrolled(register: Register, enrolment: Enrolment, state: "PENDING" | "ACTIVE"): Register {
  const { key_id, credential_id: credentialId, reviewer, recusals } = enrolment
  const known = register.recusals.get(reviewer) ?? []
  return {
    ...register,
    keys: new Map(register.keys).set(key_id, { reviewer, credentialId, state }),
    recusals: new Map(register.recusals).set(reviewer, [...new Set([...known, ...recusals])]),
  }
}

export function withKeyState(register: Register, keyId: string, state: KeyState): Register {
  const key = register.keys.get(keyId)
  if (!key) throw new TypeError("the register does not know the key")
  return { ...register, keys: new Map(register.keys).set(keyId, { ...key, state }) }
}
