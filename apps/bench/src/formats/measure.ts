/** The process that measures one format in one way: takes an order over its IPC channel, answers it and ends. */
import { once } from 'node:events'
import { measureFormat, type Order } from './measure-format.ts'

const [order] = (await once(process, 'message')) as [Order]
process.send!(measureFormat(order))
process.disconnect!()
