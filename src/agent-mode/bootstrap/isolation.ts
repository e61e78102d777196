/** Sandbox and live never mix: the checks that the routes of the foundation share. */
import { ServiceError } from "../../base/errors.ts"

/** The one provider whose documents and facts the sandbox has. */
const SYNTHETIC = "SYNTHETIC"

export function requireSandboxOn(isOn: boolean): void {
  if (isOn) return
  throw new ServiceError("ENVIRONMENT_ISOLATION", "The setting sandbox is off: this service runs no sandbox.")
}

export function requireSyntheticProvider(provider: string | undefined): void {
  if (provider === undefined || provider === SYNTHETIC) return
  throw new ServiceError("PROVIDER_ISOLATION", `The only provider is ${SYNTHETIC}. Leave the member out or name it.`)
}

export function requireAgentOfNoService(isEnrolledHere: boolean): void {
  if (!isEnrolledHere) return
  throw new ServiceError(
    "ENVIRONMENT_ISOLATION",
    "This agent is enrolled here, so it is not of the sandbox. Name no agent, or ask for LIVE.",
  )
}
