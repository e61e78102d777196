/** What every page of one server shares. */
import { readMark } from "../../schemas/agent-id/descriptor.ts"
import type { Html } from "./html.ts"

export interface Site {
  /** Name of the operator. */
  readonly issuerName: string
  /** Public origin, without a trailing slash. */
  readonly baseUrl: string
}

export interface SiteLink {
  readonly path: string
  readonly title: string
}

/** Path of the mark, which is also the icon. */
export const MARK_PATH = readMark.path

/** The pages that every page links. */
export const SITE_LINKS: readonly SiteLink[] = [
  { path: "/status", title: "Status" },
  { path: "/verify", title: "Verify" },
  { path: "/docs", title: "Docs" },
]

export interface PageContent {
  /** Text of the tab and of a search result. */
  readonly title: string
  readonly description?: string
  /** The entry of the navigation to which the page belongs. */
  readonly section?: string
  /** The same content for a machine. */
  readonly json?: { readonly path: string; readonly title: string }
  readonly main: Html
  /** Present if the page is one file that a reader can save and use without the server. */
  readonly file?: OneFile
}

interface OneFile {
  /** Source of its script. */
  readonly script: string
  /** `data:` URL of the mark. */
  readonly mark: string
}
