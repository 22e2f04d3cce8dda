# The two front doors.  Everything else is CMake: cmake --preset dev && cmake --build --preset dev
.PHONY: demo test clean

# Build, write a short recording with 1, 2 and all jobs, show how long each took.
demo:
	@bash scripts/demo.sh

# Build and run every test.
test:
	@bash scripts/test.sh

clean:
	rm -rf build
