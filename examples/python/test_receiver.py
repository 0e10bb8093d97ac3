import unittest
from threading import Thread
from unittest.mock import Mock, call
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import emulator
from receiver import Receiver


class ReceiverTest(unittest.TestCase):
    def setUp(self):
        self.enqueue = Mock()
        self.receiver = Receiver(secret="", enqueue=self.enqueue)
        Thread(target=self.receiver.serve_forever).start()
        self.addCleanup(self.receiver.server_close)
        self.addCleanup(self.receiver.shutdown)
        webhook = emulator.register(self.receiver.url)
        self.receiver.secret = webhook["secret"]
        self.addCleanup(emulator.control, "DELETE", f"/webhooks/{webhook['id']}")

    def test_the_first_delivery_is_accepted(self):
        event = emulator.trigger({"order": "ord_1"})
        emulator.advance("0s")
        self.assertEqual(emulator.delivery_of(event)["status"], "succeeded")
        self.assertEqual(self.enqueue.mock_calls, [call(event)])

    def test_the_third_attempt_is_accepted_after_the_queue_failed_twice(self):
        self.enqueue.side_effect = [RuntimeError("down"), RuntimeError("down"), None]
        event = emulator.trigger({})
        emulator.advance("35m")
        delivery = emulator.delivery_of(event)
        self.assertEqual((delivery["status"], delivery["attempt_count"]), ("succeeded", 3))

    def test_a_replay_is_accepted_and_processed_only_once(self):
        event = emulator.trigger({})
        emulator.advance("0s")
        emulator.replay(emulator.delivery_of(event))
        emulator.advance("0s")
        delivery = emulator.delivery_of(event)
        self.assertEqual((delivery["status"], delivery["attempt_count"]), ("succeeded", 2))
        self.enqueue.assert_called_once_with(event)

    def test_an_unsigned_delivery_is_rejected(self):
        with self.assertRaises(HTTPError) as rejected:
            urlopen(Request(self.receiver.url, b"{}", method="POST"), timeout=10)
        rejected.exception.close()
        self.assertEqual(rejected.exception.code, 400)
        self.enqueue.assert_not_called()


if __name__ == "__main__":
    unittest.main()
