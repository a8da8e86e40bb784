import { describeExplorer } from '../describe-explorer.ts'
import { explorer, report } from './explorer.ts'

describeExplorer('the explorer of servers that come back with old data', explorer, report)
