import { choicesPage } from "./choices-page.ts"
import { commandsPage } from "./commands-page.ts"
import { errorsPage } from "./errors-page.ts"
import { layersPage } from "./layers-page.ts"
import { limitsPage } from "./limits-page.ts"
import { listWindowsPage } from "./list-windows-page.ts"
import { metricsPage } from "./metrics-page.ts"
import { productsPage } from "./products-page.ts"
import { reasonsPage } from "./reasons-page.ts"
import { routesPage } from "./routes-page.ts"
import { settingsPage } from "./settings-page.ts"
import { signedFormsPage } from "./signed-forms-page.ts"
import { targetsPage } from "./targets-page.ts"

/** The pages of `docs/reference/` by file name, each printed from the code. */
export const REFERENCE: Readonly<Record<string, () => string | Promise<string>>> = {
  "choices.md": choicesPage,
  "commands.md": commandsPage,
  "errors.md": errorsPage,
  "layers.md": layersPage,
  "limits.md": limitsPage,
  "list-windows.md": listWindowsPage,
  "metrics.md": metricsPage,
  "products.md": productsPage,
  "reasons.md": reasonsPage,
  "routes.md": routesPage,
  "settings.md": settingsPage,
  "signed-forms.md": signedFormsPage,
  "targets.md": targetsPage,
}
