import { expect, test } from "bun:test"
import { CHANNEL_PATTERN, channelBootstrapOf, readChannelBootstrap } from "../../../schemas/agent-id/descriptor.ts"
import { SettingFault } from "../../../src/base/setting-kinds.ts"
import { settings } from "../../../src/base/settings.ts"
import { commaList } from "../../../src/core/text/comma-list.ts"
import { compile } from "../../../src/http/read-body.ts"

const six = commaList(settings.agent_id_channels.default)

test("the served operation differs from the schema only in its enum of the six configured slugs", () => {
  const { parameters, ...served } = channelBootstrapOf(six)
  const { parameters: _pattern, ...row } = readChannelBootstrap
  expect(served).toEqual(row)
  const channel = compile(parameters!["channel"]!)
  for (const slug of six) expect(channel.Check(slug)).toBe(true)
  for (const other of ["", "web", "ACP", "acp,mcp", null]) expect(channel.Check(other)).toBe(false)
})

test("the pattern of the schema and the check of the setting accept the same slugs", () => {
  const pattern = new RegExp(CHANNEL_PATTERN)
  for (const slug of [...six, "f", "-f", "f-", "f-f", "F", "f_f", "f".repeat(40), "f".repeat(41)]) {
    const accepted = !(settings.agent_id_channels.parse(`v1,v2,v3,v4,v5,${slug}`) instanceof SettingFault)
    expect([slug, accepted]).toEqual([slug, pattern.test(slug)])
  }
})
