// One suite: they share what the compiler knows of the library, which takes it seconds to find out.
import './checks/definition.js'
import './checks/diagnostics.js'
import './checks/instantiations.js'
import './checks/lookups.js'
import './checks/loose.js'
import './checks/model-caches.js'
import './checks/printed-definitions.js'
import './checks/samples.js'
