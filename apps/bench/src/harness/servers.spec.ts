import { usageIn } from './servers.ts'

it('usageIn sums up several servers, without the commands of the bench', () => {
  const info = [
    'used_cpu_sys:0.5',
    'used_cpu_user:1.25',
    'used_cpu_sys_children:9',
    'cmdstat_get:calls=5350,usec=12,usec_per_call=0.01',
    'cmdstat_client|setinfo:calls=2,usec=1,usec_per_call=0.5',
    'cmdstat_info:calls=7,usec=1,usec_per_call=0.5',
    'cmdstat_dbsize:calls=9,usec=1,usec_per_call=0.5',
    'total_net_input_bytes:10',
    'total_net_output_bytes:5',
  ].join('\r\n')
  expect(usageIn([info, info], ['cpuMs', 'commands', 'wireBytes'])).toEqual({
    cpuMs: 3_500,
    commands: 2 * 5_352,
    wireBytes: 30,
  })
})
