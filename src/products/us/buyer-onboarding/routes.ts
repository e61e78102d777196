import {
  enrollBuyerDelegation,
  revokeBuyerDelegation,
  revokeBuyerMandate,
} from "../../../../schemas/us/buyer-onboarding.ts"
import { keyFromSeed } from "../../../core/ed25519.ts"
import { aboutForm } from "../../../http/about-form.ts"
import { serve } from "../../../http/serve.ts"
import type { BuyerOnboardingDeps, OnboardingRouteDeps } from "./deps.ts"
import { enroll } from "./enroll.ts"
import { revokeDelegation, revokeMandate } from "./revoke.ts"

export function buyerOnboarding(deps: BuyerOnboardingDeps) {
  const { shell } = deps
  const routeDeps: OnboardingRouteDeps = { ...deps, decoy: keyFromSeed(deps.machine.random(32)).x }
  return [
    serve(shell, enrollBuyerDelegation, (call) => enroll(routeDeps, call)),
    serve(
      shell,
      revokeBuyerDelegation,
      aboutForm("DELEGATION_REVOCATION", (call) => revokeDelegation(routeDeps, call)),
    ),
    serve(
      shell,
      revokeBuyerMandate,
      aboutForm("MANDATE_REVOCATION", (call) => revokeMandate(routeDeps, call)),
    ),
  ]
}
