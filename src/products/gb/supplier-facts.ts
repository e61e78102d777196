/** The facts of both UK products: the company in the register, and each of its names screened against the list in use. */
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { GbCompanyFact, GbCompanyRecord, GbFacts, ScreenedName } from "../../../schemas/gb/supplier-facts.ts"
import { formatInstant, instant } from "../../core/time.ts"
import { publicationFact } from "../../sources/boards/publication.ts"
import { sourceFact } from "../../sources/boards/source-fact.ts"
import { RegisterDamaged } from "../../sources/import/register-file.ts"
import type { CompanyRecord } from "../../sources/publishers/uk-companies-house/company-record.ts"
import { type CompanyAnswer, lookUpCompany } from "../../sources/publishers/uk-companies-house/look-up-company.ts"
import { REQUIRED_GB_SOURCES } from "../../sources/records/party.ts"
import type { QueryIdentifier } from "../../sources/screening/identifiers.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { type ScreenQuery, screen, TOLERANCE_THRESHOLD } from "../../sources/screening/screen.ts"
import { screeningFact } from "../../sources/screening/screening-fact.ts"
import { judgeOf } from "../../sources/screening/suppress.ts"
import type { NamedParty } from "../../store/sales/party-keys.ts"
import type { PartyScreening } from "../common/party-screening.ts"
import { requireSources, sourceFailed } from "../common/source-failure.ts"
import { type GbSources, gbSourceStates, REGISTER } from "./supplier-sources.ts"

/** CHOICE: the twenty latest previous names are screened. For a company with more names, the answer states a limitation. */
const PREVIOUS_NAMES_MAX = 20

/**
 * `invoiceName` is null if the request has none. Throws SourceFailure if the register does not answer; then nothing is charged. The
 * decision is dated when the register answered.
 */
export async function gatherSupplier(
  context: GbSources,
  companyNumber: string,
  invoiceName: string | null,
  base: AnswerFacts,
): Promise<GbFacts> {
  const company = await lookUp(context, companyNumber, instant(base.at))
  const at = context.live ? Math.max(instant(base.at), context.machine.now()) : instant(base.at)
  // The register may answer slowly. Do not decide on a list that has failed meanwhile.
  requireSources(gbSourceStates(context, at, companyNumber), at)
  const previous = company.record?.previous_company_names ?? []
  return {
    ...base,
    at: formatInstant(at),
    sources: context.list
      .states(at)
      .flatMap((state) => sourceFact(state, state.staleAt === null ? at : instant(state.staleAt)) ?? []),
    company,
    screened_names: screenNames(context, companyNumber, namesOf(company.record, invoiceName), at),
    previous_names_left_out: Math.max(0, previous.length - PREVIOUS_NAMES_MAX),
  }
}

async function lookUp(context: GbSources, companyNumber: string, at: number): Promise<GbCompanyFact> {
  const answer = await companyResult(context, companyNumber, at)
  const { outcome, via, evidence } = answer ?? {}
  if (!answer || !evidence || !via || outcome === undefined || outcome === "UNKNOWN") {
    requireSources(gbSourceStates(context, at, companyNumber), at)
    const health = answer === null || answer.health === "HEALTHY" ? "UNAVAILABLE" : answer.health
    throw sourceFailed(gbSourceStates(context, at, companyNumber), REGISTER, health)
  }
  return {
    outcome,
    via,
    freshness: answer.freshness,
    reason_codes: [...answer.reasonCodes],
    ...publicationFact(evidence, evidence.staleAt),
    snapshot_id: evidence.snapshotId,
    record: answer.record && recordFact(answer.record),
  }
}

/** Returns null for a register whose bytes differ from the import. Its board takes it out of use and alerts the operator. */
async function companyResult(context: GbSources, companyNumber: string, at: number): Promise<CompanyAnswer | null> {
  try {
    return await lookUpCompany(context, companyNumber, at)
  } catch (error) {
    if (!(error instanceof RegisterDamaged)) throw error
    return null
  }
}

function recordFact(record: CompanyRecord): GbCompanyRecord {
  return {
    company_number: record.company_number,
    company_name: record.company_name,
    company_status: record.company_status,
    company_status_detail: record.company_status_detail,
    company_type: record.company_type,
    date_of_creation: record.date_of_creation,
    date_of_cessation: record.date_of_cessation,
    previous_company_names: record.previous_company_names.map(({ name, ceased_on }) => ({ name, ceased_on })),
    accounts_overdue: record.accounts_overdue,
    confirmation_statement_overdue: record.confirmation_statement_overdue,
    has_insolvency_history: record.has_insolvency_history,
  }
}

type NamedRole = Omit<ScreenedName, "screening">

/** Returns each text once, under its first role. */
function namesOf(record: GbCompanyRecord | null, invoiceName: string | null): NamedRole[] {
  // Names without a date count as the oldest.
  const previous = [...(record?.previous_company_names ?? [])].sort((a, b) =>
    isLater(a, b) ? -1 : isLater(b, a) ? 1 : 0,
  )
  const all: NamedRole[] = [
    ...(record ? [{ role: "REGISTERED_NAME" as const, name: record.company_name }] : []),
    ...previous.slice(0, PREVIOUS_NAMES_MAX).map(({ name }) => ({ role: "PREVIOUS_NAME" as const, name })),
    ...(invoiceName === null ? [] : [{ role: "INVOICE_NAME" as const, name: invoiceName }]),
  ]
  return all.filter((one, at) => all.findIndex(({ name }) => name === one.name) === at)
}

type PreviousName = GbCompanyRecord["previous_company_names"][number]

function isLater(a: PreviousName, b: PreviousName): boolean {
  return (a.ceased_on ?? "") > (b.ceased_on ?? "")
}

function screenNames(
  { list, suppressions }: GbSources,
  companyNumber: string,
  names: readonly NamedRole[],
  at: number,
): ScreenedName[] {
  const index = list.index()
  const book = suppressions()
  return nameQueries(index, companyNumber, names).map((query, position) => {
    const { role, name } = names[position]!
    return { role, name, screening: screeningFact(screen(index, query, judgeOf(book, query, at)), query.threshold) }
  })
}

/** Returns the company as an operator looks for it. Previous names do not find it. */
export function gbParty(companyNumber: string, { record }: GbCompanyFact, invoiceName?: string): NamedParty {
  return { names: [record?.company_name ?? [], invoiceName ?? []].flat(), identifiers: [`company:${companyNumber}`] }
}

/** The parties of stored facts, each with its screening. The company's number depends on the list of `index`. */
export function screenedNamesOf(
  index: NameIndex,
  companyNumber: string,
  names: readonly ScreenedName[],
): readonly PartyScreening[] {
  return nameQueries(index, companyNumber, names).map((query, at) => {
    const { screening } = names[at]!
    return { query: { ...query, threshold: screening.threshold }, screening }
  })
}

/** Returns one query per name, in order. The registered name is queried together with the company's number, if the list may contain it. */
function nameQueries(index: NameIndex, companyNumber: string, names: readonly NamedRole[]): ScreenQuery[] {
  const listed = listedNumbers(index, companyNumber)
  return names.map(({ role, name }) => ({
    ...nameQuery(name),
    identifiers: role === "REGISTERED_NAME" ? listed : [],
  }))
}

/**
 * CHOICE: no country is assumed, as in the US products. A company in the United Kingdom may be the listed party of the same name, and a
 * different country in the list would turn each exact match into a possible one.
 */
export function nameQuery(name: string): ScreenQuery {
  return { name, type: "org", identifiers: [], countries: [], threshold: TOLERANCE_THRESHOLD.MEDIUM }
}

/**
 * Returns the company number if a list of the UK products has it as a British one. CHOICE: registers of other countries issue the same eight
 * digits. So a number that the list gives for another country, or without a country for a party that is not British, identifies nobody here.
 */
export function listedNumbers({ identifiers, tables }: NameIndex, companyNumber: string): QueryIdentifier[] {
  return writtenNumbers(companyNumber).filter((form) =>
    identifiers.find(form).some(({ party, identifier: { country } }) => {
      const { sourceId, countries } = tables.partyAt(party)
      const isBritish = country === undefined ? countries.includes("GB") : country === "GB"
      return isBritish && (REQUIRED_GB_SOURCES as readonly string[]).includes(sourceId)
    }),
  )
}

/** The number in each form in which a list may write it. */
export function writtenNumbers(companyNumber: string): QueryIdentifier[] {
  const written = new Set([companyNumber, companyNumber.replace(/^0+/, "")])
  return [...written].map((value) => ({ scheme: "registration", value }))
}
