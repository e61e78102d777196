/**
 * One delivered answer of any of the nine products, as a person reads it: may the payment happen, what was asked, what was compared with what,
 * which listed entries it resembles, what stopped it, and the way out. Pages and commands print it. It is made from the answer and, where they
 * are at hand, from its request and its facts; it has no clock, so it says nothing about "now".
 */
import { type Static, Type } from "@sinclair/typebox"
import { closed, enumeration } from "./common.ts"

const Text = Type.String()
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Words = Type.Array(Type.String())

/**
 * PAY: the answer permits the payment, or the step that was asked for. PAY_IF: it does when its conditions are met. HOLD: not now; a person or
 * a new answer may end that. STOP: not at all. NO_ANSWER: nothing was decided, and nothing was charged.
 */
export const Permission = enumeration("PAY", "PAY_IF", "HOLD", "STOP", "NO_ANSWER")
export type Permission = Static<typeof Permission>

/** NOT_ASKED: the request has no such value. NOT_STATED: the source or the record has none. */
export const Comparison = enumeration("SAME", "DIFFERS", "NOT_ASKED", "NOT_STATED")
export type Comparison = Static<typeof Comparison>

export const ComparedRow = closed({
  what: Text,
  asked: TextOrNull,
  found: TextOrNull,
  result: Comparison,
  /** Id of a list or a register, or words for the service's own records. */
  source: TextOrNull,
  /** RFC 3339 time of the publication or the record. Null if it is unknown. */
  date: TextOrNull,
})
export type ComparedRow = Static<typeof ComparedRow>

export const CaseGate = closed({
  gate: Text,
  /** The question that the gate answers. */
  title: Text,
  /** NOT_RUN: the answer says that it waived the gate, or does not say that it ran. */
  outcome: enumeration("PASS", "CONDITION", "HOLD", "BLOCK", "INCONCLUSIVE", "NOT_RUN"),
  reasons: Words,
  compared: Type.Array(ComparedRow),
})
export type CaseGate = Static<typeof CaseGate>

const Labelled = closed({ label: Text, value: Text })

/** What the publisher prints about a listed entry, as the facts keep it. */
const CaseEntry = closed({
  /** The version of the reader that read the publisher's files. */
  details_version: Text,
  /** In the publisher's words: names, births, identifiers, addresses, listing, programs, remarks and all else. */
  rows: Type.Array(Labelled),
  /** The publisher's page about the entry. Null for an address that this program's table does not make for this entry. */
  link: TextOrNull,
})
export type CaseEntry = Static<typeof CaseEntry>

/** One listed entry beside the party as it was screened. */
export const CaseHit = closed({
  /** From 1, in the order of the facts. */
  number: Type.Integer({ minimum: 1 }),
  /** Which name or wallet of the request was screened. */
  role: Text,
  screened: TextOrNull,
  source_id: Text,
  entry_id: Text,
  list: TextOrNull,
  programs: Words,
  party_type: TextOrNull,
  matched_name: TextOrNull,
  name_kind: TextOrNull,
  /** 0 to 1. */
  score: Type.Union([Type.Number(), Type.Null()]),
  /** From this score on the screening reports a hit. */
  threshold: Type.Union([Type.Number(), Type.Null()]),
  basis: TextOrNull,
  tier: TextOrNull,
  compared: Type.Array(ComparedRow),
  /** Null if the facts do not keep it. */
  entry: Type.Union([CaseEntry, Type.Null()]),
  /** The operator judged it to be another party. Its end is RFC 3339. */
  suppression: Type.Union([closed({ suppression_id: Text, expires_at: TextOrNull }), Type.Null()]),
})
export type CaseHit = Static<typeof CaseHit>

export const CaseReason = closed({
  code: Text,
  gate: TextOrNull,
  outcome: TextOrNull,
  /** One sentence. Null if this program does not have the policy version. */
  why: TextOrNull,
  /** Code of the way out. Null if nothing is asked, or if this program does not have the policy version. */
  remediation: TextOrNull,
})
export type CaseReason = Static<typeof CaseReason>

export const CaseWay = closed({
  code: Text,
  /** Null for a code that this program does not know. */
  words: TextOrNull,
  who: Type.Union([enumeration("BUYER", "SUPPLIER", "OPERATOR", "REVIEWER", "NOBODY"), Type.Null()]),
  /** A command, or a method and a path of the service. */
  way: TextOrNull,
  is_bought_again: Type.Boolean(),
})
export type CaseWay = Static<typeof CaseWay>

export const Case = closed({
  format: Type.Literal("svc-case-1"),
  product: TextOrNull,
  /** PAYMENT: a permission is one to pay. STEP: it is one to go on with a check, an approval or a change. */
  about: enumeration("PAYMENT", "STEP"),
  permission: Permission,
  decision: Text,
  machine_action: Text,
  /** False if decision and action are no pair that this program knows. Then the permission is HOLD. */
  is_known: Type.Boolean(),
  valid_from: TextOrNull,
  valid_until: TextOrNull,
  asked: Type.Array(Labelled),
  /** In the order of precedence: what led to the outcome. Empty if every gate passed. */
  stopped_by: Type.Array(CaseReason),
  ways: Type.Array(CaseWay),
  gates: Type.Array(CaseGate),
  hits: Type.Array(CaseHit),
  /** Hits that the screening found and the facts do not have. */
  hits_left_out: Type.Integer({ minimum: 0 }),
  /** Sentences that a reader needs beside the gates. */
  notes: Words,
  /** What the document lacks of request, facts and policy. Without them nothing is compared. */
  missing: Type.Array(enumeration("REQUEST", "FACTS", "POLICY")),
})
export type Case = Static<typeof Case>
