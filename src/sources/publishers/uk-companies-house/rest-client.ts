/**
 * The client of the live register, within its rate limit. An answer is used for a day. If the service cannot be reached, an answer up to a
 * week old is used and marked as such. Concurrent look-ups of one company share one request.
 */

import type { Log } from "../../../base/log.ts"
import type { Machine } from "../../../base/machine.ts"
import { digestBytes } from "../../../core/digest.ts"
import { DAY, formatInstant, HOUR, instant, MINUTE, SECOND } from "../../../core/time.ts"
import type { Store } from "../../../store/engine/unit.ts"
import { findAnswer, keepAnswer, type RegisterAnswer } from "../../../store/sources/register-answers.ts"
import {
  failuresOf,
  pauseService,
  readBudget,
  resumeService,
  takeRequest,
} from "../../../store/sources/request-budget.ts"
import type { CompanyRecord } from "./company-record.ts"
import { PROFILE_PARSER, readProfile } from "./rest-profile.ts"
import { askCompany, companyUrl, type RestFailure, type RestService } from "./rest-request.ts"

/** Companies House's own limit is 600 requests in five minutes for each key. */
const BUDGET_WINDOW_SECONDS = 300
/** A request sent at the end of the window may arrive this much later, and then counts in the next window. */
const ARRIVAL_MARGIN_SECONDS = 10
const COUNTED_SECONDS = BUDGET_WINDOW_SECONDS + ARRIVAL_MARGIN_SECONDS

const FRESH_MS = DAY
const STALE_MS = 7 * DAY
/** A company may be registered at any hour, so "not found" is checked again soon. The same applies to an answer that could not be read. */
const NOT_FOUND_MS = HOUR
const UNREADABLE_MS = 5 * MINUTE
/** An answer with a later time was stored by a clock that ran ahead, so its age is unknown. */
const CLOCK_SKEW_MS = 5 * MINUTE
const KEY_REFUSED_MS = 5 * MINUTE
const BACKOFF_MS = 2 * SECOND
const BACKOFF_MS_MAX = 5 * MINUTE

export interface RestClientParts {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
  readonly service: RestService
  /** Requests in {@link BUDGET_WINDOW_SECONDS}; below Companies House's limit, so that others may use the key too. */
  readonly requestsMax: number
}

interface LiveEvidence {
  readonly sourceUrl: string
  readonly sourceVersion: string
  readonly retrievedAt: string
  readonly staleAt: string
  readonly parserVersion: string
  /** Digest of the body as received. */
  readonly rawSha256: string
}

export type LiveAnswer =
  | {
      readonly outcome: "FOUND" | "NOT_FOUND"
      /** Null if the service states that no such company exists. */
      readonly record: CompanyRecord | null
      readonly freshness: "FRESH" | "AGING"
      /** Empty, or the reason why an older answer is used. */
      readonly reasonCodes: readonly string[]
      readonly evidence: LiveEvidence
    }
  | {
      readonly outcome: "UNKNOWN"
      readonly health: "UNAVAILABLE" | "SCHEMA_BREAK"
      readonly reasonCodes: readonly string[]
      /** When a retry may help; null if unknown. */
      readonly retryAt: string | null
      /** The answer that could not be read; null if there was none. */
      readonly evidence: LiveEvidence | null
    }

export interface RestClient {
  /** `companyNumber` has eight characters; `at` is in milliseconds. */
  lookUp(companyNumber: string, at: number): Promise<LiveAnswer>
  /** Returns whether a look-up would send a request now. Sends nothing itself. */
  state(at: number): Promise<LiveState>
}

export interface LiveState {
  readonly requests: number
  readonly requestsMax: number
  /** Null if requests are allowed. */
  readonly paused: { readonly until: string; readonly reason: string } | null
}

export function openRestClient(parts: RestClientParts): RestClient {
  const { store, machine, log, service, requestsMax } = parts
  const keyDigest = digestBytes(`${service.baseUrl}\n${service.key}`)
  const flights = new Map<string, Promise<LiveResponse>>()

  async function lookUp(companyNumber: string, at: number): Promise<LiveAnswer> {
    const url = companyUrl(service.baseUrl, companyNumber)
    const known = await store.read(() => findAnswer(url))
    const kept = known && read(known, companyNumber, at)
    if (kept && isCurrent(known, kept, at)) return kept
    const response = await joinFlight(companyNumber)
    if (response.answer) return read(response.answer, companyNumber, Math.max(at, instant(response.answer.retrievedAt)))
    // An old "not found" is not reused: the company may have been registered since.
    if (kept?.outcome === "FOUND" && isUsable(kept.evidence, at)) {
      return { ...kept, freshness: "AGING", reasonCodes: ["SOURCE_AGING", response.reason] }
    }
    return unavailable(response)
  }

  function joinFlight(companyNumber: string): Promise<LiveResponse> {
    const underway = flights.get(companyNumber)
    if (underway) return underway
    const flight = ask(companyNumber).finally(() => flights.delete(companyNumber))
    flights.set(companyNumber, flight)
    return flight
  }

  async function ask(companyNumber: string): Promise<LiveResponse> {
    const sentAt = machine.now()
    const wanted = { keyDigest, at: sentAt, requestsMax, windowSeconds: COUNTED_SECONDS }
    const budget = await store.run(() => takeRequest(wanted))
    if (!budget.granted) return { answer: null, reason: budget.reason ?? "REQUEST_BUDGET_SPENT", until: budget.until }
    const outcome = await askCompany(service, companyNumber, sentAt)
    const at = machine.now()
    if (outcome.kind === "FAILED") return fail(outcome.failure, outcome.waitMs, at)
    const answer: RegisterAnswer = {
      sourceUrl: companyUrl(service.baseUrl, companyNumber),
      status: outcome.status,
      body: outcome.body,
      etag: outcome.etag,
      rawSha256: digestBytes(outcome.body),
      retrievedAt: formatInstant(at),
    }
    await store.run(function* () {
      yield* keepAnswer(answer)
      yield* resumeService(keyDigest, at)
    })
    return { answer }
  }

  async function fail(failure: RestFailure, waitMs: number | null, at: number): Promise<LiveResponse> {
    const until = await store.run(function* () {
      const wait = waitMs ?? pauseAfter(machine, failure, yield* failuresOf(keyDigest))
      return yield* pauseService(keyDigest, { at, until: at + wait, reason: failure })
    })
    log.warn("companies_house_failed", { failure, until: formatInstant(until) })
    return { answer: null, reason: failure, until }
  }

  async function state(at: number): Promise<LiveState> {
    const budget = { keyDigest, at, windowSeconds: COUNTED_SECONDS }
    const { requests, pause } = await store.read(() => readBudget(budget))
    return { requests, requestsMax, paused: pause && { until: formatInstant(pause.until), reason: pause.reason } }
  }

  return { lookUp, state }
}

type LiveResponse = { readonly answer: RegisterAnswer } | NoAnswer

interface NoAnswer {
  readonly answer: null
  readonly reason: string
  /** In milliseconds; null if unknown. */
  readonly until: number | null
}

function unavailable({ reason, until }: NoAnswer): LiveAnswer {
  return {
    outcome: "UNKNOWN",
    health: "UNAVAILABLE",
    reasonCodes: ["SOURCE_UNAVAILABLE", reason],
    retryAt: until === null ? null : formatInstant(until),
    evidence: null,
  }
}

/** Returns milliseconds. Jitter, so that processes that failed together do not retry together. */
function pauseAfter(machine: Machine, failure: RestFailure, failuresBefore: number): number {
  if (failure === "RATE_LIMITED") return BUDGET_WINDOW_SECONDS * SECOND
  if (failure === "KEY_REFUSED") return KEY_REFUSED_MS
  const longest = Math.min(BACKOFF_MS * 2 ** Math.min(failuresBefore, 20), BACKOFF_MS_MAX)
  const [byte = 0] = machine.random(1)
  return Math.ceil(longest * (0.5 + byte / 510))
}

/** Parses a stored answer with the current parser, whatever parser read it first. */
function read(answer: RegisterAnswer, companyNumber: string, at: number): LiveAnswer {
  const retrieved = instant(answer.retrievedAt)
  const freshness = at - retrieved < FRESH_MS ? "FRESH" : "AGING"
  const evidence = (etag: string | null): LiveEvidence => ({
    sourceUrl: answer.sourceUrl,
    sourceVersion: etag === null ? answer.rawSha256 : `etag:${etag}`,
    retrievedAt: answer.retrievedAt,
    staleAt: formatInstant(retrieved + STALE_MS),
    parserVersion: PROFILE_PARSER,
    rawSha256: answer.rawSha256,
  })
  if (answer.status === 404) {
    return { outcome: "NOT_FOUND", record: null, freshness, reasonCodes: [], evidence: evidence(answer.etag) }
  }
  const reading = readProfile(answer.body, companyNumber)
  if (reading.kind === "BREAK") {
    return {
      outcome: "UNKNOWN",
      health: "SCHEMA_BREAK",
      reasonCodes: ["SOURCE_SCHEMA_BREAK", reading.code],
      retryAt: formatInstant(retrieved + UNREADABLE_MS),
      evidence: evidence(answer.etag),
    }
  }
  const { record, etag } = reading
  return { outcome: "FOUND", record, freshness, reasonCodes: [], evidence: evidence(etag ?? answer.etag) }
}

function isCurrent({ retrievedAt }: RegisterAnswer, { outcome }: LiveAnswer, at: number): boolean {
  const age = at - instant(retrievedAt)
  const lasts = outcome === "FOUND" ? FRESH_MS : outcome === "NOT_FOUND" ? NOT_FOUND_MS : UNREADABLE_MS
  return age < lasts && age >= -CLOCK_SKEW_MS
}

function isUsable({ retrievedAt }: LiveEvidence, at: number): boolean {
  const age = at - instant(retrievedAt)
  return age < STALE_MS && age >= -CLOCK_SKEW_MS
}
