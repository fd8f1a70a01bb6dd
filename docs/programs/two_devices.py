"""Two devices of the host: TENORITE_HOST_DEVICES=2 python two_devices.py"""

import os

os.environ.setdefault("TENORITE_BACKEND", "host")
os.environ.setdefault("TENORITE_HOST_DEVICES", "2")

import tenorite as cp

halves = []
for number in range(cp.cuda.runtime.getDeviceCount()):
    with cp.cuda.Device(number):
        halves.append(cp.arange(4) + 10 * number)
print(*halves)
try:
    halves[0] + halves[1]
except (ValueError, RuntimeError) as failure:
    print(failure)
print(halves[0] + halves[1].to_device(halves[0].device))
