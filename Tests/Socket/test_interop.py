# SPDX-License-Identifier: Apache-2.0
"""A second, independent WebSocket client: picows."""
import asyncio
import json

import picows

from frame_probe import FrameProbe
from patience import PATIENCE


def test_picows_sees_a_demo_from_start_to_end(headway):
    async def watch():
        done = asyncio.get_running_loop().create_future()
        probe = FrameProbe()

        class Listener(picows.WSListener):
            def on_ws_frame(self, transport, frame):
                if frame.msg_type != picows.WSMsgType.TEXT or done.done():
                    return
                try:
                    for told in probe.take(frame.get_payload_as_utf8_text()):
                        if told["type"] == "ready":
                            order = {"op": "demo", "ref": "p", "total": 200_000, "rate": 400_000}
                            probe.pending["p"] = True
                            transport.send(picows.WSMsgType.TEXT, json.dumps(order).encode())
                        elif told["type"] == "ack":
                            self.id = told["id"]
                        elif told["type"] == "complete" and told["id"] == getattr(self, "id", None):
                            done.set_result(told)
                except Exception as wrong:
                    done.set_exception(wrong)

        transport, _ = await picows.ws_connect(Listener, headway.ws(), websocket_handshake_timeout=PATIENCE)
        try:
            return await asyncio.wait_for(done, PATIENCE)
        finally:
            transport.disconnect()

    assert asyncio.run(watch())["outcome"] == "succeeded"
