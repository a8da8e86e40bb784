// By itself: its specs change the generated client for the rest of the suite.
import { runFolder } from '../../support/folder-suite.ts'

await runFolder(import.meta.url)
