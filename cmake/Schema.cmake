# The NWB schema as compact JSON texts in a generated C file (src/hdmf/schema.h declares its contents).
set(NZ_SCHEMA_SOURCE "")
