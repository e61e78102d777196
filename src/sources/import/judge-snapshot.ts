/**
 * Decides whether a publication may be used: is it large enough for its list, is its age known, and is it recent enough? A live directory
 * rejects a small list or an unknown age unless the operator accepts it. A test directory takes such a publication as a sample.
 */
import { instant } from "../../core/time.ts"
import type { Acceptance, SnapshotRow } from "../../store/sources/sources.ts"
import { isContentOld } from "../boards/content-age.ts"
import type { Finding } from "../records/adapter.ts"
import { hard, soft } from "../records/findings.ts"
import type { ContentLimit } from "../records/windows.ts"
import type { PublicationTime } from "./publication-time.ts"

export type Environment = "test" | "live"

export type ActiveSnapshotState = Pick<SnapshotRow, "size" | "findings" | "isSample" | "acceptances">

interface SnapshotJudgementInput {
  readonly environment: Environment
  /** Milliseconds. */
  readonly now: number
  /** False if the files could not be read; then neither size nor age is judged. */
  readonly isRead: boolean
  /** Findings of the parse and of the comparison with the active snapshot. */
  readonly findings: readonly Finding[]
  readonly active: ActiveSnapshotState | null
  readonly published: PublicationTime | null
  /** Null for a source whose publication time is not judged. */
  readonly content: ContentLimit | null
  /** When the publisher's own host last sent or confirmed these bytes, in milliseconds. */
  readonly confirmed: number | null
  /** Milliseconds: `content.unlessConfirmed` applies for this long after a confirmation. */
  readonly retrievalWindow: number
  /** Acceptances that the operator gives with this import. */
  readonly accepting: readonly Acceptance[]
  /** Earlier acceptances of the same bytes. */
  readonly accepted: readonly Acceptance[]
}

export interface SnapshotJudgement {
  readonly size: "WHOLE" | "UNDER_LEAST"
  readonly isSample: boolean
  /** Acceptances that this publication depends on; stored in its row. */
  readonly acceptances: readonly Acceptance[]
  /** The new ones among `acceptances`; written to the audit log. */
  readonly audited: readonly Acceptance[]
  /** Replaces {@link SnapshotJudgementInput.findings}. */
  readonly findings: readonly Finding[]
}

export function judgeSnapshot(input: SnapshotJudgementInput): SnapshotJudgement {
  const { environment, accepting } = input
  if (!input.isRead)
    return { size: "UNDER_LEAST", isSample: false, acceptances: [], audited: [], findings: input.findings }
  const isTest = environment === "test"
  const isSmall = mustBeAccepted(input)
  const isUnknown = input.content !== null && input.published === null && !isExempt(input)
  const isOld = isTooOld(input)
  const small = isSmall && !isTest ? acceptanceOf(input, "SMALL") : null
  const old = isOld ? acceptanceOf(input, "OLD") : null
  const used = [...(old ? [old] : []), ...(small ? [small] : [])]
  return {
    size: hasTooFew(input.findings) ? "UNDER_LEAST" : "WHOLE",
    isSample: isTest && (isSmall || isUnknown || old !== null),
    acceptances: used,
    audited: used.filter((one) => accepting.includes(one)),
    findings: [
      ...input.findings.map((finding) =>
        isSmall && finding.code === "BELOW_EXPECTED" ? sized(finding, isTest, small) : finding,
      ),
      ...(isUnknown ? [unknownFinding(isTest)] : []),
      ...(isOld ? [oldFinding(input, old)] : []),
      ...accepting.filter((one) => !used.includes(one)).map(({ what }) => unusedFinding(what)),
    ],
  }
}

function hasTooFew(findings: readonly Finding[]): boolean {
  return findings.some(({ code }) => code === "BELOW_EXPECTED")
}

/**
 * Returns whether a list below its minimum size needs an acceptance to be imported. If the active list needed none, a slightly smaller one
 * may follow it: the comparison of the two decides. A list that shrank more, or that follows an accepted small list or a small sample, is
 * judged like a first import.
 */
function mustBeAccepted({ findings, active }: SnapshotJudgementInput): boolean {
  if (!hasTooFew(findings)) return false
  return active === null || neededAcceptance(active) || findings.some(({ code }) => code === "SHRUNK")
}

/** An earlier release compared with any list, however small. So its small lists count as accepted. */
function neededAcceptance(active: ActiveSnapshotState): boolean {
  if (!wasUnderLeast(active)) return false
  if (active.size === null || active.isSample === 1) return true
  return (JSON.parse(active.acceptances) as readonly Acceptance[]).some(({ what }) => what === "SMALL")
}

/** Also reads the import findings, because an earlier release recorded no size or another size. */
export function wasUnderLeast({ size, findings }: Pick<SnapshotRow, "size" | "findings">): boolean {
  return size === "UNDER_LEAST" || hasTooFew(JSON.parse(findings) as readonly Finding[])
}

/** A list without an age limit of its own needs no publication time while its publisher confirms it. */
function isExempt({ content, confirmed, now, retrievalWindow }: SnapshotJudgementInput): boolean {
  return content?.unlessConfirmed === true && confirmed !== null && now < confirmed + retrievalWindow
}

function isTooOld(input: SnapshotJudgementInput): boolean {
  const { content, published, now } = input
  if (content === null || published === null || isExempt(input)) return false
  return isContentOld(instant(published.at), content, now)
}

/** The acceptance of this import takes precedence over an earlier one of the same bytes. */
function acceptanceOf({ accepting, accepted }: SnapshotJudgementInput, what: Acceptance["what"]): Acceptance | null {
  return [...accepting, ...accepted].find((one) => one.what === what) ?? null
}

function sized({ code, detail, file }: Finding, isTest: boolean, accepted: Acceptance | null): Finding {
  if (isTest) return soft(code, `${detail}; taken as a sample`, file)
  if (accepted) return soft(code, `${detail}; accepted by the operator: ${accepted.reason}`, file)
  return hard(code, `${detail}; sources import with --accept-small REASON takes exactly these bytes`, file)
}

function unknownFinding(isTest: boolean): Finding {
  const what = "the files do not say when they were published"
  return isTest
    ? soft("PUBLICATION_UNKNOWN", `${what}; taken as a sample`)
    : hard("PUBLICATION_UNKNOWN", `${what}: state it with sources import --published-at T`)
}

function oldFinding({ published, content }: SnapshotJudgementInput, accepted: Acceptance | null): Finding {
  const days = (content?.staleSeconds ?? 0) / 86_400
  const what = `published ${published?.at}, more than ${days} days ago`
  return accepted
    ? soft("CONTENT_OLD", `${what}; accepted by the operator: ${accepted.reason}`)
    : soft(
        "CONTENT_OLD",
        `${what}: the source is STALE; sources import with --accept-old REASON takes exactly these bytes`,
      )
}

function unusedFinding(what: Acceptance["what"]): Finding {
  const flag = what === "OLD" ? "--accept-old" : "--accept-small"
  return soft("ACCEPTANCE_UNUSED", `${flag} was not needed and is not recorded`)
}
