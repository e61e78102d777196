/**
 * Runs while the program is built (a Bun macro): the service's own closed schema as plain data, so that the published verifier holds
 * a bundle to exactly what the service promises and carries no schema library.
 */
import { AgentExportBundle, EXPORT_BYTES_MAX } from "../../schemas/agent-id/export.ts"

export function bundleSchema(): typeof AgentExportBundle {
  return JSON.parse(JSON.stringify(AgentExportBundle)) as typeof AgentExportBundle
}

export function bundleLimits(): { readonly bytes: number } {
  return { bytes: EXPORT_BYTES_MAX }
}
