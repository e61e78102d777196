/** Entry of the published module `buyer-signing.mjs`: for `import` in Node or Bun. */
import { bindRequirement } from "./bind-requirement.ts"
import { BindingError } from "./binding-error.ts"

export { BindingError, bindRequirement }
