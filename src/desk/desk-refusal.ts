import { refusalPage } from "./pages/refusal-page.ts"
import type { DeskReply } from "./visit.ts"

/** Ends a visit with a page that says why. `message` is for a person and names the way out. */
export class DeskRefusal extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 500,
    message: string,
  ) {
    super(message)
  }

  reply(): DeskReply {
    return { status: this.status, page: refusalPage(this.status, this.message) }
  }
}
