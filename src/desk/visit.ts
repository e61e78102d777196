/** One request to the desk, and what a page answers. */
import type { Register } from "../core/review/register.ts"
import type { Html } from "../pages/html.ts"
import type { DeskDeps } from "./deps.ts"

/** A page of the desk. */
export interface DeskPage {
  /** Text of the tab. It has no id of an answer. */
  readonly title: string
  readonly main: Html
  /** The one script of the page. Absent on a page that asks for no passkey. */
  readonly script?: string
  /** The entry of the navigation to which it belongs. */
  readonly section?: "/" | "/reviewers"
}

export type DeskReply =
  | { readonly status: number; readonly page: DeskPage }
  /** 303 to a path of the desk. `cookie`: of a session that begins or ends. */
  | { readonly to: string; readonly cookie?: string }

/** The person of a session. */
export interface Reviewing {
  readonly sessionHash: string
  readonly reviewerId: string
  readonly name: string
  readonly recusals: readonly string[]
  /** Why the operator admits the person's next key without approvals; null if not. */
  readonly breakGlass: string | null
  /** The passkey that opened the session; null until one did. */
  readonly keyId: string | null
  /**
   * TO_ENROL: the person has no passkey. TO_PROVE: none has opened this session. WAITING: the one that did waits for approvals. REVIEWER: it may sign.
   */
  readonly state: "TO_ENROL" | "TO_PROVE" | "WAITING" | "REVIEWER"
  readonly register: Register
  /** Token of a form that goes to this path. */
  readonly token: (path: string) => string
}

export interface Visit {
  readonly deps: DeskDeps
  /** The variable parts of the path. */
  readonly params: readonly string[]
  readonly query: URLSearchParams
  /** Milliseconds. */
  readonly now: number
  /** Empty for a GET. */
  readonly form: DeskForm
}

export interface FormFile {
  readonly name: string
  readonly bytes: number
  /** `sha256:` and 64 hex digits. */
  readonly digest: string
}

export interface DeskForm {
  /** The text of a field; empty if the form has none. Line ends are LF. */
  text(name: string): string
  /** Null if no file was chosen. */
  readonly file: FormFile | null
}

/** A visit with a session. */
export interface OwnVisit extends Visit {
  readonly me: Reviewing
}
