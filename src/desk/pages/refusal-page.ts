import { html } from "../../pages/html.ts"
import type { DeskPage } from "../visit.ts"

const TITLES: Readonly<Record<number, string>> = {
  400: "This form cannot be read",
  401: "Nobody is entered here",
  403: "This is not permitted",
  404: "No such page",
  405: "Not this way",
  409: "Something came in between",
  413: "Too large",
  415: "Not a form of the desk",
  422: "Nothing was recorded",
  500: "A fault of the desk",
}

export function refusalPage(status: number, message: string): DeskPage {
  const title = TITLES[status] ?? "Refused"
  return {
    title,
    main: html`<h1>${title}</h1>
<p>${message}</p>
<p><a href="/">Go to the queue</a></p>`,
  }
}
