import { exportIdentity } from "../../../schemas/agent-id/export.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { type ExportDeps, replyExport } from "./export-identity.ts"
import { keptExports } from "./kept-exports.ts"
import { verifierModule } from "./verifier-module.ts"

/** The bundle, and the documents that verify it without this service. */
export function identityExport(deps: Omit<ExportDeps, "kept"> & { readonly shell: Shell }): readonly Route[] {
  const exports = { ...deps, kept: keptExports() }
  return [serve(deps.shell, exportIdentity, (call) => replyExport(exports, call)), verifierModule(deps.shell)]
}
