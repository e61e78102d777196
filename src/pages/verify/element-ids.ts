/** Ids of the elements that the page writes and its script uses. */
import type { FileName, TextName } from "./fields.ts"

export const ID = {
  /** What the page shows as long as its script does not run. */
  noScript: "no-script",
  form: "verify",
  /** Takes several files, and each goes to the field of its kind. */
  anyFiles: "any-files",
  ownKeys: "own-keys",
  serverKeys: "server-keys",
  serverJwks: "server-jwks",
  sandbox: "sandbox",
  more: "more",
  state: "state",
  save: "save",
  result: "result",
  band: "result-band",
  title: "result-title",
  advice: "result-advice",
  time: "result-time",
  serversWord: "result-servers-word",
  case: "result-case",
  lines: "result-lines",
  checks: "result-checks",
  checkRows: "result-check-rows",
  command: "result-command",
  text: "result-text",
} as const

export const fileId = (name: FileName): string => `file-${name}`
export const pasteId = (name: FileName): string => `paste-${name}`
export const textId = (name: TextName): string => `text-${name}`
