/** What a person gives to the page, and what the page says about it. */

import type { Case } from "../../../schemas/case.ts"
import type { ExitCode } from "../../base/exit.ts"
import type { Headline } from "../../case/words/headline.ts"
import type { GivenFile } from "../../offline/given/given-files.ts"
import type { ReportLine } from "../../offline/report.ts"
import type { Verdict } from "../../offline/words/judge-report.ts"
import type { FileName, TextName } from "./fields.ts"

export interface Given {
  readonly files: Readonly<Partial<Record<FileName, readonly GivenFile[]>>>
  readonly texts: Readonly<Partial<Record<TextName, string>>>
  /** The document is a synthetic one of the sandbox. */
  readonly isSandbox: boolean
}

export interface PageLine {
  readonly label: string
  readonly texts: readonly string[]
}

export interface PageVerdict {
  readonly verdict: Verdict
  /** What the reader may do. Null if the document says nothing about that: then the title is the first thing that the page says. */
  readonly headline: Headline | null
  /** The verdict in a few words. */
  readonly title: string
  /** Sentences about where the document counts. */
  readonly warnings: readonly string[]
  /** Null unless the document is proven and contains an answer. */
  readonly case: Case | null
  /** What a reader should do with it. */
  readonly advice: string
  /** RFC 3339 time. Null if the verdict does not depend on it. */
  readonly judgedAt: string | null
  /** The clock of the reader's device gave this time. */
  readonly isDeviceTime: boolean
  /** The results in words, or why there are none. */
  readonly lines: readonly PageLine[]
  readonly checks: readonly ReportLine[]
  /** What the command prints: the report, or the message with which it fails. */
  readonly text: string
  /** The command without `bizauth`. */
  readonly command: "verify" | "verify --sandbox" | "agent verify-bundle"
  /** The exit code of the command. */
  readonly exit: ExitCode
}
