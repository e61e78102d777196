import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { JourneyResponse } from "../../../schemas/agent-mode/journeys.ts"
import { SandboxArtifact } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import { command as exportKeys } from "../../../src/cli/keys/export.ts"
import { command as verify } from "../../../src/cli/documents/verify.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { compile } from "../../../src/http/read-body.ts"
import { PRODUCT_IDS } from "../../fixtures/prices.ts"
import { run } from "../../fixtures/binary.ts"
import { GB_NAME, GB_NUMBER } from "../../fixtures/gb.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { countEffects } from "../../products/agent-mode/effects.ts"
import { openRehearsalOperator, type RehearsalOperator } from "./rehearsal-operator.ts"

let operator: RehearsalOperator
beforeAll(async () => {
  operator = await openRehearsalOperator()
}, 30_000)
afterAll(() => operator[Symbol.dispose]())

const PARTY = { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } }
const GB = { company_number: GB_NUMBER, invoice: { invoice_company_name: GB_NAME } }
