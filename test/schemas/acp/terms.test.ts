/** The terms of the ACP channel are written once for the signing module. They are those of the rest of the program. */
import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { buyerSigningModuleOf } from "../../../schemas/acp/operations.ts"
import { AcpChannel, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import {
  ACP_ASSET_ADDRESS,
  ACP_CHAIN_ID,
  ACP_CHANNEL_DEFAULT,
  ACP_REQUIREMENT_BYTES_MAX,
} from "../../../schemas/acp/terms.ts"
import { BASE_NETWORK } from "../../../schemas/network.ts"
import { settings } from "../../../src/base/settings.ts"
import { BODY_BYTES_MAX } from "../../../src/http/read-body.ts"
import { BASE } from "../../../src/payments/networks/base.ts"

test("chain, asset and size are those of payments and bodies", () => {
  expect([ACP_CHAIN_ID, ACP_ASSET_ADDRESS]).toEqual([BASE.asset.chainId, BASE.asset.address])
  expect(BASE_NETWORK).toBe(BASE.asset.network as never)
  expect(AcpRequirementDraft.properties.purchase.properties.network.const).toBe(BASE.asset.network as never)
  expect(ACP_REQUIREMENT_BYTES_MAX).toBe(BODY_BYTES_MAX)
})

test("the setting acp_channel and the envelope accept the same slugs, and share their default", () => {
  expect(ACP_CHANNEL_DEFAULT).toBe(settings.acp_channel.default)
  for (const slug of [
    "acp",
    "a",
    "a-",
    "a1-b",
    "a".repeat(32),
    "a".repeat(33),
    "",
    "1a",
    "-a",
    "A",
    "a_b",
    "a/b",
    "a\n",
  ]) {
    expect([slug, Value.Check(AcpChannel, slug)]).toEqual([slug, settings.acp_channel.parse(slug) === slug])
  }
})

test("the path of the module has the configured slug and no parameter", () => {
  expect(buyerSigningModuleOf("commerce").path).toBe("/v1/channels/commerce/buyer-signing.mjs")
})
