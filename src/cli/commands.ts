/**
 * The command table: maps each name to the file that runs it. A file is loaded only when it is called, so `verify` never loads network
 * code.
 */
import type { Command } from "./command.ts"

type Load = () => Promise<{ readonly command: Command }>

export const commands: Readonly<Record<string, Load>> = {
  init: () => import("./init.ts"),
  serve: () => import("./serve.ts"),
  "config check": () => import("./config/check.ts"),
  "config print": () => import("./config/print.ts"),
  "keys list": () => import("./keys/list.ts"),
  "keys rotate": () => import("./keys/rotate.ts"),
  "keys revoke": () => import("./keys/revoke.ts"),
  "keys export": () => import("./keys/export.ts"),
  "agent keygen": () => import("./agent/keygen.ts"),
  "agent enroll": () => import("./agent/enroll.ts"),
  "agent sign": () => import("./agent/sign.ts"),
  "agent verify-signature": () => import("./agent/verify-signature.ts"),
  "agent rotate": () => import("./agent/rotate.ts"),
  "agent revoke": () => import("./agent/revoke.ts"),
  "agent delegate": () => import("./agent/delegate.ts"),
  "agent sign-request": () => import("./agent/sign-request.ts"),
  "agent quote": () => import("./agent/quote.ts"),
  "agent pay": () => import("./agent/pay.ts"),
  "agent recover": () => import("./agent/recover.ts"),
  "agent dialogue": () => import("./agent/dialogue.ts"),
  "agent beacon consent": () => import("./agent/beacon-consent.ts"),
  "agent beacon revoke": () => import("./agent/beacon-revoke.ts"),
  "agent beacon event": () => import("./agent/beacon-event.ts"),
  "agent opt-out": () => import("./agent/opt-out.ts"),
  "agent verify-bundle": () => import("./agent/verify-bundle.ts"),
  "agent job draft": () => import("./agent/job-draft.ts"),
  "agent job bind": () => import("./agent/job-bind.ts"),
  "agent job verify": () => import("./agent/job-verify.ts"),
  "agent job schema": () => import("./agent/job-schema.ts"),
  "agent contact": () => import("./agent/contact.ts"),
  "agent plan": () => import("./agent/plan.ts"),
  "agent readiness": () => import("./agent/readiness.ts"),
  "agent price": () => import("./agent/price.ts"),
  "agent routes": () => import("./agent/routes.ts"),
  "agent reuse": () => import("./agent/reuse.ts"),
  "agent wallet import": () => import("./agent/wallet-import.ts"),
  "agent wallet list": () => import("./agent/wallet-list.ts"),
  "sandbox run": () => import("./sandbox/run.ts"),
  "sandbox key": () => import("./sandbox/key.ts"),
  "buyers keygen": () => import("./buyers/keygen.ts"),
  "buyers add": () => import("./buyers/add.ts"),
  "buyers add-key": () => import("./buyers/add-key.ts"),
  "buyers list": () => import("./buyers/list.ts"),
  "buyers renew": () => import("./buyers/renew.ts"),
  "buyers revoke": () => import("./buyers/revoke.ts"),
  "buyers revoke-key": () => import("./buyers/revoke-key.ts"),
  "acp status": () => import("./acp/status.ts"),
  "acp jobs": () => import("./acp/jobs.ts"),
  "acp job": () => import("./acp/job.ts"),
  "acp facts": () => import("./acp/facts.ts"),
  "acp pause": () => import("./acp/pause.ts"),
  "acp resume": () => import("./acp/resume.ts"),
  export: () => import("./documents/export.ts"),
  verify: () => import("./documents/verify.ts"),
  replay: () => import("./documents/replay.ts"),
  policies: () => import("./policies.ts"),
  openapi: () => import("./openapi.ts"),
  capabilities: () => import("./capabilities.ts"),
  "sources import": () => import("./sources/import.ts"),
  "sources fetch": () => import("./sources/fetch.ts"),
  "sources status": () => import("./sources/status.ts"),
  "sources history": () => import("./sources/history.ts"),
  "sources rollback": () => import("./sources/rollback.ts"),
  "sources export": () => import("./sources/export.ts"),
  "sources verify": () => import("./sources/verify.ts"),
  "sources keygen": () => import("./sources/keygen.ts"),
  company: () => import("./company/company.ts"),
  screen: () => import("./screening/screen.ts"),
  rehearse: () => import("./rehearsal/rehearse.ts"),
  "suppressions add": () => import("./suppressions/add.ts"),
  "suppressions list": () => import("./suppressions/list.ts"),
  "suppressions revoke": () => import("./suppressions/revoke.ts"),
  "sales status": () => import("./sales/status.ts"),
  "sales stop": () => import("./sales/stop.ts"),
  "sales start": () => import("./sales/start.ts"),
  "sales window": () => import("./sales/window.ts"),
  "beacon report": () => import("./beacon/report.ts"),
  "log audit": () => import("./log/audit.ts"),
  "log new-origin": () => import("./log/new-origin.ts"),
  "log checkpoint": () => import("./log/checkpoint.ts"),
  "payments owed": () => import("./payments/owed.ts"),
  "mail test": () => import("./mail/test.ts"),
  mcp: () => import("./mcp.ts"),
  version: () => import("./version.ts"),
}

/** Returns the longest command name that the words begin with, and the remaining words. */
export function findCommand(words: readonly string[]): { name: string; load: Load; rest: string[] } | null {
  for (let length = Math.min(3, words.length); length > 0; length--) {
    const name = words.slice(0, length).join(" ")
    const load = commands[name]
    if (load) return { name, load, rest: words.slice(length) }
  }
  return null
}
