import * as catalogue from './catalogue/explorer.ts'
import { describeWholeSpaces } from './describe-explorer.ts'
import * as rows from './explorer.ts'
import * as follower from './follower/explorer.ts'
import * as loads from './loads/explorer.ts'
import * as lookups from './lookups/explorer.ts'
import * as restarts from './restarts/explorer.ts'
import * as results from './results/explorer.ts'

describeWholeSpaces('the whole space of rows', rows.explorer, rows.report)
describeWholeSpaces('the whole space of the catalogue', catalogue.explorer, catalogue.report)
describeWholeSpaces('the whole space of restarts', restarts.explorer, restarts.report)
describeWholeSpaces('the whole space of lookups', lookups.explorer, lookups.report)
describeWholeSpaces('the whole space of results', results.explorer, results.report)
describeWholeSpaces('the whole space of nested loads', loads.explorer, loads.report)
describeWholeSpaces('the whole space of the follower', follower.explorer, follower.report)
