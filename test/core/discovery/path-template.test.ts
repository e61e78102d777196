import { expect, test } from "bun:test"
import { pathTemplate } from "../../../src/core/discovery/path-template.ts"

test.each([
  ["/v1/agent-id", "/v1/agent-id"],
  ["/v1/agent-identities/{agentId}/status", "/v1/agent-identities/{agentId}/status"],
  ["/v1/agent-identities/:agentId/status", "/v1/agent-identities/{agentId}/status"],
  ["/v1/agent-id/log/tile/*", "/v1/agent-id/log/tile/{rest}"],
])("%s prints as %s", (path, printed) => {
  expect(pathTemplate(path)).toBe(printed)
})
