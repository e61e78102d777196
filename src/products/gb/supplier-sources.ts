/** The two required sources of the UK products: the companies register and the UK Sanctions List. */

import type { ServiceError } from "../../base/errors.ts"
import type { Machine } from "../../base/machine.ts"
import { instant } from "../../core/time.ts"
import type { RegisterBoard, RegisterState } from "../../sources/boards/register-board.ts"
import type { SourceBoard, SourceState } from "../../sources/boards/source-board.ts"
import { RegisterDamaged } from "../../sources/import/register-file.ts"
import type { RestClient } from "../../sources/publishers/uk-companies-house/rest-client.ts"
import type { SuppressionBook } from "../../sources/screening/suppress.ts"
import type { AnswerCheck } from "../common/answer-product.ts"
import type { BusinessAnswerShape } from "../common/answer-rules.ts"
import { type RequiredSourceState, sourceFailed } from "../common/source-failure.ts"

export interface GbSources {
  readonly machine: Machine
  /** A board that has only the UK Sanctions List. */
  readonly list: SourceBoard
  /** The live register, or null if no key is configured. */
  readonly live: RestClient | null
  readonly registers: Pick<RegisterBoard, "states" | "find">
  /** The operator's suppressions that are not revoked. */
  readonly suppressions: () => SuppressionBook
  /** True if the service fetches from publishers itself. Then a source that was never imported may still arrive. */
  readonly fetching: boolean
}

export const REGISTER = "UK_COMPANIES_HOUSE"

/**
 * Makes no network call. The payment is reserved before the service learns whether a configured live register answers. `companyNumber` is
 * the queried company: an imported register that is too small and lacks it cannot answer. Null: any company.
 */
export function gbSourceStates(context: GbSources, at: number, companyNumber: string | null): RequiredSourceState[] {
  const { list, live, registers, fetching } = context
  const register = registerState(registers, at)
  // A register that the operator turned off is off for both the live and the imported form.
  const isLive = live !== null && register?.health !== "DISABLED"
  return [
    isLive || !register
      ? liveRegisterState(isLive)
      : { ...requiredSourceState(register, fetching), isIncomplete: provesNothing(registers, register, companyNumber) },
    ...list.states(at).map((state) => requiredSourceState(state, fetching)),
  ]
}

/**
 * Rejects if the register is known not to answer now, so that the service gives no quote that it could not honour. `at` is in milliseconds.
 */
export async function checkReachable(
  context: GbSources,
  at: number,
  companyNumber: string | null,
): Promise<ServiceError | null> {
  const { live, registers } = context
  if (live === null || registerState(registers, at)?.health === "HEALTHY") return null
  const { paused, requests, requestsMax } = await live.state(at)
  if (paused === null && requests < requestsMax) return null
  return sourceFailed(gbSourceStates(context, at, companyNumber), REGISTER, "UNAVAILABLE")
}

/** The check for any request that names a company by its number. */
export function companyRegister<
  S extends BusinessAnswerShape & { readonly request: { readonly company_number: string } },
>(context: GbSources): AnswerCheck<S> {
  return {
    id: "COMPANY_REGISTER",
    needs: ["company_number"],
    judge: ({ request, at }) => checkReachable(context, at, request.company_number),
  }
}

function registerState(registers: GbSources["registers"], at: number): RegisterState | undefined {
  return registers.states(at).find(({ sourceId }) => sourceId === REGISTER)
}

function provesNothing(
  registers: GbSources["registers"],
  { health, snapshot }: RegisterState,
  companyNumber: string | null,
): boolean {
  if (companyNumber === null || health !== "HEALTHY" || !snapshot?.isIncomplete) return false
  try {
    return registers.find(REGISTER, "number", companyNumber) === null
  } catch (error) {
    // Its board takes it out of use. From now on it is UNAVAILABLE.
    if (error instanceof RegisterDamaged) return false
    throw error
  }
}

function liveRegisterState(isLive: boolean): RequiredSourceState {
  return {
    sourceId: REGISTER,
    health: isLive ? "HEALTHY" : "UNAVAILABLE",
    reasonCodes: [],
    staleAt: null,
    neverSetUp: !isLive,
  }
}

function requiredSourceState(state: SourceState | RegisterState, fetching: boolean): RequiredSourceState {
  const { sourceId, health, reasonCodes, snapshot, staleAt } = state
  return {
    sourceId,
    health,
    reasonCodes,
    staleAt: staleAt === null ? null : instant(staleAt),
    neverSetUp: snapshot === null && health === "UNAVAILABLE" && !fetching,
  }
}
