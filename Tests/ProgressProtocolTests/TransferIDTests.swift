// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@Suite struct TransferIDTests {
    @Test func `an id is a UUID of version 7 in lower case`() {
        let id = TransferID(milliseconds: 0x0199_ABCD_EF01, random: (.max, .max))
        #expect(id.description == "0199abcd-ef01-7fff-bfff-ffffffffffff")
        #expect(id.isVersion7)
        #expect(TransferID(milliseconds: 0, random: (0, 0)).description == "00000000-0000-7000-8000-000000000000")
    }

    @Test func `ids are read in either case and come back in lower`() {
        let text = "0199ABCD-ef01-7fff-BFFF-ffffffffffff"
        #expect(TransferID(text)?.description == text.lowercased())
        #expect(TransferID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")?.isVersion7 == false)
    }

    @Test(arguments: [
        "", "0199", "0199abcd-ef01-7fff-bfff-fffffffffff", "0199abcd-ef01-7fff-bfff-fffffffffffff",
        "0199abcdef017fffbfffffffffffffff", "0199abcd-ef01-7fff-bfff-fffffffffffg",
        "0199abcd_ef01-7fff-bfff-ffffffffffff",
        "{199abcd-ef01-7fff-bfff-fffffffffff}", "é199abcd-ef01-7fff-bfff-fffffffffff",
        "------------------------------------",
        " 199abcd-ef01-7fff-bfff-ffffffffffff", "0199abcd-ef01-7fff-bfff-ffffffffffff\n",
    ])
    func `what is no UUID is none`(text: String) {
        #expect(TransferID(text) == nil)
    }

    @Test func `time and randomness beyond their bits are cut`() {
        #expect(TransferID(milliseconds: -1, random: (0, 0)).description.hasPrefix("ffffffff-ffff-7000-"))
        var ids: Set<TransferID> = []
        for number in 0..<1000 {
            let id = TransferID(milliseconds: Int64(number) << 20, random: (UInt64(number), UInt64(number) << 40))
            #expect(TransferID(id.description) == id)
            ids.insert(id)
        }
        #expect(ids.count == 1000)
    }
}
